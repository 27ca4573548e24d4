@NullMarked
package fleet.tower.mailbox;

import org.jspecify.annotations.NullMarked;
