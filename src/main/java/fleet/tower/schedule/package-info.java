/** Runs intents when they are due. */
@NullMarked
package fleet.tower.schedule;

import org.jspecify.annotations.NullMarked;
