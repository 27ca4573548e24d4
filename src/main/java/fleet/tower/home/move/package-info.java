/** The move of a home's files and SQLite database into the PostgreSQL database of a fleet. */
@NullMarked
package fleet.tower.home.move;

import org.jspecify.annotations.NullMarked;
