/** Requests for runs: checked, recorded once, and started or queued. */
@NullMarked
package fleet.tower.run.submit;

import org.jspecify.annotations.NullMarked;
