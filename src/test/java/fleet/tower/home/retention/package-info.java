/** Tests of retention. */
@NullMarked
package fleet.tower.home.retention;

import org.jspecify.annotations.NullMarked;
