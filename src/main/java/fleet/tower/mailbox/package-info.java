/**
 * Mailboxes: messages that are leased to one worker at a time, replied to, and redelivered if their worker stops
 * responding.
 */
@NullMarked
package fleet.tower.mailbox;

import org.jspecify.annotations.NullMarked;
