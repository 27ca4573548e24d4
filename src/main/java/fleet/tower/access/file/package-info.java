/** Tokens as files of the home: the operator's, and those of other callers. */
@NullMarked
package fleet.tower.access.file;

import org.jspecify.annotations.NullMarked;
