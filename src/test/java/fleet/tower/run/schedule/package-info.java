/** Schedules, with manual time. */
@NullMarked
package fleet.tower.run.schedule;

import org.jspecify.annotations.NullMarked;
