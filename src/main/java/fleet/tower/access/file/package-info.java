/** The operator token in a file of the home. */
@NullMarked
package fleet.tower.access.file;

import org.jspecify.annotations.NullMarked;
