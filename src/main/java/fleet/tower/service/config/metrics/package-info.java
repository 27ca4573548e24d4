/** Metrics: the only package that uses Micrometer. */
@NullMarked
package fleet.tower.service.config.metrics;

import org.jspecify.annotations.NullMarked;
