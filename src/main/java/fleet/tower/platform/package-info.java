/** The machine and the formats that everything else stands on; this package itself has the one exception for broken storage. */
@NullMarked
package fleet.tower.platform;

import org.jspecify.annotations.NullMarked;
