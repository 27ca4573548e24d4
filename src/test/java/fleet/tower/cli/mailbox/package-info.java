@NullMarked
package fleet.tower.cli.mailbox;

import org.jspecify.annotations.NullMarked;
