/** The operator's token and those of others, in files of the home. */
@NullMarked
package fleet.tower.access.file;

import org.jspecify.annotations.NullMarked;
