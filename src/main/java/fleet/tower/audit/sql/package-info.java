/** The audit log of a fleet as a table, filled from the files of its hosts. */
@NullMarked
package fleet.tower.audit.sql;

import org.jspecify.annotations.NullMarked;
