/** Which intents there are, which runs there were, and stopping one. */
@NullMarked
package fleet.tower.cli.overview;

import org.jspecify.annotations.NullMarked;
