/** Commands that list intents, runs and hosts, and cancel runs. */
@NullMarked
package fleet.tower.cli.overview;

import org.jspecify.annotations.NullMarked;
