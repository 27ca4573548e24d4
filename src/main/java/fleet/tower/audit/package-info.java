/** The audit events, the log that records them, and the trail that reads them. */
@NullMarked
package fleet.tower.audit;

import org.jspecify.annotations.NullMarked;
