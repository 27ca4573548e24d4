/** Tests of the health checks of the home itself and of its Java. */
@NullMarked
package fleet.tower.home;

import org.jspecify.annotations.NullMarked;
