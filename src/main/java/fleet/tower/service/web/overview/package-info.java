/** HTTP calls that read and follow the overview. */
@NullMarked
package fleet.tower.service.web.overview;

import org.jspecify.annotations.NullMarked;
