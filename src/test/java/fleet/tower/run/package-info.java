/** What runs are told with, and stand-ins for the places where they are kept and done. */
@NullMarked
package fleet.tower.run;

import org.jspecify.annotations.NullMarked;
