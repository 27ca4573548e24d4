/** HTTP calls about the hosts of a fleet. */
@NullMarked
package fleet.tower.service.web.host;

import org.jspecify.annotations.NullMarked;
