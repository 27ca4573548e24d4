/** What the running service tells of itself. */
@NullMarked
package fleet.tower.service.config.metrics;

import org.jspecify.annotations.NullMarked;
