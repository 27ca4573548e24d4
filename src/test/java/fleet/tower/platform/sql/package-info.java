@NullMarked
package fleet.tower.platform.sql;

import org.jspecify.annotations.NullMarked;
