/** Tests of the rules of other tools' locks. */
@NullMarked
package fleet.tower.foreign;

import org.jspecify.annotations.NullMarked;
