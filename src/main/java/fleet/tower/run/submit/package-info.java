/** Requests for runs from callers, schedules, the queue and other processes: checked, recorded once, and started or queued. */
@NullMarked
package fleet.tower.run.submit;

import org.jspecify.annotations.NullMarked;
