/** The HTTP interface: translates calls into use cases, and outcomes into answers. */
@NullMarked
package fleet.tower.service.web;

import org.jspecify.annotations.NullMarked;
