/** Consumers of a mailbox: workers that receive and handle its messages until they are stopped. */
@NullMarked
package fleet.tower.mailbox.consumer;

import org.jspecify.annotations.NullMarked;
