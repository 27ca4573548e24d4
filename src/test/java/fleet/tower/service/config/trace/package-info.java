/** Tests of runs and their steps as a collector receives them. */
@NullMarked
package fleet.tower.service.config.trace;

import org.jspecify.annotations.NullMarked;
