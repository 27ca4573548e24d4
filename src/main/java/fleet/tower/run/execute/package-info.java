/** The execution of a run: its locks, its steps, its rollback, and the events that watchers see. */
@NullMarked
package fleet.tower.run.execute;

import org.jspecify.annotations.NullMarked;
