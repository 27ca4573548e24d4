/** Runs by schedule. */
@NullMarked
package fleet.tower.run.schedule;

import org.jspecify.annotations.NullMarked;
