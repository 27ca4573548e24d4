@NullMarked
package fleet.tower.run.output;

import org.jspecify.annotations.NullMarked;
