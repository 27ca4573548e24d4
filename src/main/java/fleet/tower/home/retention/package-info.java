/** Retention: removes old runs, their output, old days of the audit log, and the files of unused lock names. */
@NullMarked
package fleet.tower.home.retention;

import org.jspecify.annotations.NullMarked;
