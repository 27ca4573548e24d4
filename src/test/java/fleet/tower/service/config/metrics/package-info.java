/** Tests of the metrics of a running service. */
@NullMarked
package fleet.tower.service.config.metrics;

import org.jspecify.annotations.NullMarked;
