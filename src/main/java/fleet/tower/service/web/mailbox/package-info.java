/** HTTP calls about mailboxes. */
@NullMarked
package fleet.tower.service.web.mailbox;

import org.jspecify.annotations.NullMarked;
