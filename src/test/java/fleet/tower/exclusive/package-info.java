/** Tests of the rules of other tools' locks. */
@NullMarked
package fleet.tower.exclusive;

import org.jspecify.annotations.NullMarked;
