/** Benchmarks of the product side by side with the bare operation, in one run, as ratios. */
@NullMarked
package fleet.tower.bench;

import org.jspecify.annotations.NullMarked;
