/** Tests of examples and short ids. */
@NullMarked
package fleet.tower.cli.overview;

import org.jspecify.annotations.NullMarked;
