@NullMarked
package fleet.tower.cli.shell;

import org.jspecify.annotations.NullMarked;
