/** Secret values, and masking them in everything that is shown or stored. */
@NullMarked
package fleet.tower.platform.secret;

import org.jspecify.annotations.NullMarked;
