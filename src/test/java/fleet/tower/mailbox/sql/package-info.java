@NullMarked
package fleet.tower.mailbox.sql;

import org.jspecify.annotations.NullMarked;
