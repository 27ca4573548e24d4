/** Bugs that are put into the product on purpose, each of which the tests of its room must find. */
@NullMarked
package fleet.tower.mutant;

import org.jspecify.annotations.NullMarked;
