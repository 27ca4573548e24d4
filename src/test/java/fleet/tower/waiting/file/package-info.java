@NullMarked
package fleet.tower.waiting.file;

import org.jspecify.annotations.NullMarked;
