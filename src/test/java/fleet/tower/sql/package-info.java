@NullMarked
package fleet.tower.sql;

import org.jspecify.annotations.NullMarked;
