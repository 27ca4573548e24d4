/** Runs and their steps as OpenTelemetry spans, exported if a collector is configured. */
@NullMarked
package fleet.tower.service.config.trace;

import org.jspecify.annotations.NullMarked;
