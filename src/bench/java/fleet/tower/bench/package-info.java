/** Measures the product side by side with the bare operation, in one run, and prints ratios. */
@NullMarked
package fleet.tower.bench;

import org.jspecify.annotations.NullMarked;
