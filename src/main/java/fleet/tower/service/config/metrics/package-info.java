/** What the service measures of itself, told to Micrometer: the one place that knows it. */
@NullMarked
package fleet.tower.service.config.metrics;

import org.jspecify.annotations.NullMarked;
