/** The queue of runs: a mailbox of their ids, and the workers of this process that take them. */
@NullMarked
package fleet.tower.run.queue;

import org.jspecify.annotations.NullMarked;
