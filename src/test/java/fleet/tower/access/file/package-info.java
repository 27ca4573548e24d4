@NullMarked
package fleet.tower.access.file;

import org.jspecify.annotations.NullMarked;
