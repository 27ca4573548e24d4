/** Shared test code: waits with one limit, other JVMs, text of files, the extent of long tests. */
@NullMarked
package fleet.tower.harness;

import org.jspecify.annotations.NullMarked;
