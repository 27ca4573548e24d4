/** Bugs put into the lock on purpose, each of which the simulation must find. */
@NullMarked
package fleet.tower.lock.file.mutant;

import org.jspecify.annotations.NullMarked;
