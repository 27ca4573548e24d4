/** Steps as processes of this machine, each in a session of its own. */
@NullMarked
package fleet.tower.run.process;

import org.jspecify.annotations.NullMarked;
