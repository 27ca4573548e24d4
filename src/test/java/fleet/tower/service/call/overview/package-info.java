/** Tests of the overview and its changes. */
@NullMarked
package fleet.tower.service.call.overview;

import org.jspecify.annotations.NullMarked;
