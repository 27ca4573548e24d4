/** The queue of runs in real mailboxes, with manual time. */
@NullMarked
package fleet.tower.run.queue;

import org.jspecify.annotations.NullMarked;
