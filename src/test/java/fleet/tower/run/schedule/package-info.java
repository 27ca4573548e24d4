/** Schedules, with time moved by hand. */
@NullMarked
package fleet.tower.run.schedule;

import org.jspecify.annotations.NullMarked;
