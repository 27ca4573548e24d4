/**
 * Shared test code: homes, installations and services, waits with one limit, other JVMs, text of files, the extent of
 * long tests.
 */
@NullMarked
package fleet.tower.harness;

import org.jspecify.annotations.NullMarked;
