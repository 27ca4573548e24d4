/** Pages of lists: cursors, limits by number and size, and the rows of an answer. */
@NullMarked
package fleet.tower.platform.list;

import org.jspecify.annotations.NullMarked;
