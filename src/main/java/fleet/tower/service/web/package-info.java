/** The HTTP door: translates calls into use cases, and their outcomes into answers. */
@NullMarked
package fleet.tower.service.web;

import org.jspecify.annotations.NullMarked;
