/** Tests of the service's log as JSON lines. */
@NullMarked
package fleet.tower.service.config.log;

import org.jspecify.annotations.NullMarked;
