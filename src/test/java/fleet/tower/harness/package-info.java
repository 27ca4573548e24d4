/** What tests share: waiting with one limit, other JVMs, text in files, how much of a proof runs. */
@NullMarked
package fleet.tower.harness;

import org.jspecify.annotations.NullMarked;
