/** The only place that reads a clock or sleeps; everything else is handed a {@link fleet.tower.time.TimeSource}. */
@NullMarked
package fleet.tower.time;

import org.jspecify.annotations.NullMarked;
