@NullMarked
package fleet.tower.lock.file;

import org.jspecify.annotations.NullMarked;
