/** Steps as processes of this machine: started in a session of their own, watched, ended with all they left behind. */
@NullMarked
package fleet.tower.run.process;

import org.jspecify.annotations.NullMarked;
