/** Retention: removes old runs, their output, and old days of the audit log. */
@NullMarked
package fleet.tower.home.retention;

import org.jspecify.annotations.NullMarked;
