/** Tests of the assembled OpenAPI document. */
@NullMarked
package fleet.tower.service.config.api;

import org.jspecify.annotations.NullMarked;
