/** The OpenAPI document of the service. */
@NullMarked
package fleet.tower.service.config.api;

import org.jspecify.annotations.NullMarked;
