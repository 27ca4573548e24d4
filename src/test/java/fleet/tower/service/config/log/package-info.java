/** The service's output as JSON lines. */
@NullMarked
package fleet.tower.service.config.log;

import org.jspecify.annotations.NullMarked;
