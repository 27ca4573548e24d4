/** The command line: it translates between people and use cases, and decides nothing. */
@NullMarked
package fleet.tower.cli;

import org.jspecify.annotations.NullMarked;
