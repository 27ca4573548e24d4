@NullMarked
package fleet.tower.audit.sql;

import org.jspecify.annotations.NullMarked;
