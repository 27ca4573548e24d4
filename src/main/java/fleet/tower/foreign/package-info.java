/** Other tools' exclusive locks, which runs respect or hold: names, rules, port and use cases. */
@NullMarked
package fleet.tower.foreign;

import org.jspecify.annotations.NullMarked;
