/** Runs intents when they are due. */
@NullMarked
package fleet.tower.run.schedule;

import org.jspecify.annotations.NullMarked;
