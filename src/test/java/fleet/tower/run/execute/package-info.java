@NullMarked
package fleet.tower.run.execute;

import org.jspecify.annotations.NullMarked;
