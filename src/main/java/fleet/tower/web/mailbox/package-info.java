/** Mailboxes over HTTP. */
@NullMarked
package fleet.tower.web.mailbox;

import org.jspecify.annotations.NullMarked;
