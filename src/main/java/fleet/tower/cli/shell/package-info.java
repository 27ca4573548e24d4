/** Commands and options as data, their parser, help and completion. */
@NullMarked
package fleet.tower.cli.shell;

import org.jspecify.annotations.NullMarked;
