/** The lines of those who wait, in PostgreSQL. */
@NullMarked
package fleet.tower.waiting.sql;

import org.jspecify.annotations.NullMarked;
