@NullMarked
package fleet.tower.waiting.sql;

import org.jspecify.annotations.NullMarked;
