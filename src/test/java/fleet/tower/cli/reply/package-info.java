@NullMarked
package fleet.tower.cli.reply;

import org.jspecify.annotations.NullMarked;
