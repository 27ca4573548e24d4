/** Commands and options as data, their parser, answers and exit codes. */
@NullMarked
package fleet.tower.cli.shell;

import org.jspecify.annotations.NullMarked;
