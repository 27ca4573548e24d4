/** Foreign locks as the files of the other tools. */
@NullMarked
package fleet.tower.foreign.file;

import org.jspecify.annotations.NullMarked;
