@NullMarked
package fleet.tower.answer;

import org.jspecify.annotations.NullMarked;
