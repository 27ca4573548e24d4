/** Health and readiness: each dependency of the service, checked within bounded time. */
@NullMarked
package fleet.tower.service.config.health;

import org.jspecify.annotations.NullMarked;
