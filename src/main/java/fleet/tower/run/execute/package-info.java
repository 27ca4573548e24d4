/** Executes intents: under their lock, step by step, undone when they fail, and told while they run. */
@NullMarked
package fleet.tower.run.execute;

import org.jspecify.annotations.NullMarked;
