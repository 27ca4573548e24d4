/** The only place that reads a clock or sleeps; everything else is handed a {@link fleet.tower.platform.time.TimeSource}. */
@NullMarked
package fleet.tower.platform.time;

import org.jspecify.annotations.NullMarked;
