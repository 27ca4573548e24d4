/** Other tools' exclusive locks, as one who respects them and as one who holds them: names, rules, the port, the use. */
@NullMarked
package fleet.tower.foreign;

import org.jspecify.annotations.NullMarked;
