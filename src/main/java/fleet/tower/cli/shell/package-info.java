/** What every command line needs: commands and options as data, their parsing, answers, exit codes. */
@NullMarked
package fleet.tower.cli.shell;

import org.jspecify.annotations.NullMarked;
