/** {@code tower task work}: an agent's loop in one command. */
@NullMarked
package fleet.tower.cli.work;

import org.jspecify.annotations.NullMarked;
