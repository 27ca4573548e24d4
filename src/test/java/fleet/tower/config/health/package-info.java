/** Probes that work, fail and hang. */
@NullMarked
package fleet.tower.config.health;

import org.jspecify.annotations.NullMarked;
