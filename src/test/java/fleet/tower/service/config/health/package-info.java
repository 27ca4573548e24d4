/** Probes that work, fail and hang. */
@NullMarked
package fleet.tower.service.config.health;

import org.jspecify.annotations.NullMarked;
