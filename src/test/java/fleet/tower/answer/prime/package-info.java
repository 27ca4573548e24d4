@NullMarked
package fleet.tower.answer.prime;

import org.jspecify.annotations.NullMarked;
