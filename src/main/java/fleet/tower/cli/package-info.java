/** The command line on the files of a home: it translates, and decides nothing. */
@NullMarked
package fleet.tower.cli;

import org.jspecify.annotations.NullMarked;
