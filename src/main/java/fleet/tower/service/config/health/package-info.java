/** Whether calls should come to this service: what it works with, each looked at within bounded time. */
@NullMarked
package fleet.tower.service.config.health;

import org.jspecify.annotations.NullMarked;
