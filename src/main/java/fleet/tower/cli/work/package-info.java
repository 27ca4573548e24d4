/** The command {@code tower task work}: a worker that claims and closes tasks. */
@NullMarked
package fleet.tower.cli.work;

import org.jspecify.annotations.NullMarked;
