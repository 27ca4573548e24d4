/** Runs and their steps as spans of OpenTelemetry, for a collector where one is configured. */
@NullMarked
package fleet.tower.service.config.trace;

import org.jspecify.annotations.NullMarked;
