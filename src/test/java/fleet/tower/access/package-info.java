/** Tests of callers and their rights. */
@NullMarked
package fleet.tower.access;

import org.jspecify.annotations.NullMarked;
