/** HTTP calls about freezes. */
@NullMarked
package fleet.tower.service.web.freeze;

import org.jspecify.annotations.NullMarked;
