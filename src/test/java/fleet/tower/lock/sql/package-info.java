@NullMarked
package fleet.tower.lock.sql;

import org.jspecify.annotations.NullMarked;
