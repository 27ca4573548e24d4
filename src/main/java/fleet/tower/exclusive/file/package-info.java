/** Foreign locks as the files of their tools. */
@NullMarked
package fleet.tower.exclusive.file;

import org.jspecify.annotations.NullMarked;
