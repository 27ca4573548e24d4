/** Consumers of one mailbox: they receive its messages, handle them and report the results. */
@NullMarked
package fleet.tower.mailbox.consumer;

import org.jspecify.annotations.NullMarked;
