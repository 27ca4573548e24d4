/** Foreign locks as the files of their tools. */
@NullMarked
package fleet.tower.foreign.file;

import org.jspecify.annotations.NullMarked;
