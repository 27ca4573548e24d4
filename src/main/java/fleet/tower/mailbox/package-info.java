/** Mailboxes: messages that are leased to one worker at a time, answered, and given to another when their worker falls silent. */
@NullMarked
package fleet.tower.mailbox;

import org.jspecify.annotations.NullMarked;
