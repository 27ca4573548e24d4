/** Calls about mailboxes and the receipts of their messages. */
@NullMarked
package fleet.tower.service.call.mailbox;

import org.jspecify.annotations.NullMarked;
