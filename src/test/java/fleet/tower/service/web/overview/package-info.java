/** Tests of the overview over HTTP. */
@NullMarked
package fleet.tower.service.web.overview;

import org.jspecify.annotations.NullMarked;
