/** Workers on real mailboxes, with time moved by hand. */
@NullMarked
package fleet.tower.mailbox.consumer;

import org.jspecify.annotations.NullMarked;
