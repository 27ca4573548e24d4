/** Texts that were looked at once and are kept: what is made later has to be the same. */
@NullMarked
package fleet.tower.golden;

import org.jspecify.annotations.NullMarked;
