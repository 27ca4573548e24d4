/** The move of a home's locks to another store. */
@NullMarked
package fleet.tower.lock.move;

import org.jspecify.annotations.NullMarked;
