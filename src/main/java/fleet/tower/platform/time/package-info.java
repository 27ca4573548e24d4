/**
 * Time, waiting and waking up: the only package that reads a clock or sleeps. All others receive a {@link
 * fleet.tower.platform.time.TimeSource}.
 */
@NullMarked
package fleet.tower.platform.time;

import org.jspecify.annotations.NullMarked;
