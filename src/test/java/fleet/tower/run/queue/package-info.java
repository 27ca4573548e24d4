/** The queue of runs on real mailboxes, with time moved by hand. */
@NullMarked
package fleet.tower.run.queue;

import org.jspecify.annotations.NullMarked;
