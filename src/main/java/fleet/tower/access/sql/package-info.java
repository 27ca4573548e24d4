/** Tokens in the database of a fleet. */
@NullMarked
package fleet.tower.access.sql;

import org.jspecify.annotations.NullMarked;
