/** The members of a fleet: the processes that execute runs, their hosts, and whether they are alive. */
@NullMarked
package fleet.tower.run.members;

import org.jspecify.annotations.NullMarked;
