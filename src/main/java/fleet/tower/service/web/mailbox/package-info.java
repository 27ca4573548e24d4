/** Mailboxes over HTTP. */
@NullMarked
package fleet.tower.service.web.mailbox;

import org.jspecify.annotations.NullMarked;
