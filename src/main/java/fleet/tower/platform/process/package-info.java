/**
 * Support for adapters that start processes: the C library, process trees, and the shell that ends steps when this
 * process dies.
 */
@NullMarked
package fleet.tower.platform.process;

import org.jspecify.annotations.NullMarked;
