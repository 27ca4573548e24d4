/** The Tower Executor: runs changes to real systems, each under a lease. */
@NullMarked
package fleet.tower;

import org.jspecify.annotations.NullMarked;
