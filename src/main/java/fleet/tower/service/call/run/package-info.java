/** Calls that run, plan, list, follow and cancel intents and their runs. */
@NullMarked
package fleet.tower.service.call.run;

import org.jspecify.annotations.NullMarked;
