/** The service's own output as JSON lines of the Elastic Common Schema, if configured. */
@NullMarked
package fleet.tower.service.config.log;

import org.jspecify.annotations.NullMarked;
