/** Commands that run intents, or tell what running one would do. */
@NullMarked
package fleet.tower.cli.run;

import org.jspecify.annotations.NullMarked;
