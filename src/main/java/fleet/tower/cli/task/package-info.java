/** The commands about tasks, on the database of a home or through a service. */
@NullMarked
package fleet.tower.cli.task;

import org.jspecify.annotations.NullMarked;
