@NullMarked
package fleet.tower.run;

import org.jspecify.annotations.NullMarked;
