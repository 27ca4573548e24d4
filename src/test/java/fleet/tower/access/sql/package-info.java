@NullMarked
package fleet.tower.access.sql;

import org.jspecify.annotations.NullMarked;
