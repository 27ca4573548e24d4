/** The measurements of {@code bin/bench}, and their comparison with the tables of {@code docs/performance.md}. */
@NullMarked
package fleet.tower.performance;

import org.jspecify.annotations.NullMarked;
