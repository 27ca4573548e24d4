/** Schedules, with time moved by hand. */
@NullMarked
package fleet.tower.schedule;

import org.jspecify.annotations.NullMarked;
