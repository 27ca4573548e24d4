/** Assembles the OpenAPI document, and tests it. */
@NullMarked
package fleet.tower.service.config.api;

import org.jspecify.annotations.NullMarked;
