/** The commands about tasks, on the database of a home or through a service, and the worker that processes tasks. */
@NullMarked
package fleet.tower.cli.task;

import org.jspecify.annotations.NullMarked;
