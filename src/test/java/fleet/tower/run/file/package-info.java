@NullMarked
package fleet.tower.run.file;

import org.jspecify.annotations.NullMarked;
