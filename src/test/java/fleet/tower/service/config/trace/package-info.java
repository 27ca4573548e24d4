/** Runs and their steps as a collector sees them. */
@NullMarked
package fleet.tower.service.config.trace;

import org.jspecify.annotations.NullMarked;
