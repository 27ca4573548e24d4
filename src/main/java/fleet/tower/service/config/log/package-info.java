/** The service's own output as JSON lines of the Elastic Common Schema, where that is asked for. */
@NullMarked
package fleet.tower.service.config.log;

import org.jspecify.annotations.NullMarked;
