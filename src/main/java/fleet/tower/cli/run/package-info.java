/** Commands that run and plan intents. */
@NullMarked
package fleet.tower.cli.run;

import org.jspecify.annotations.NullMarked;
