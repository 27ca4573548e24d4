/** The HTTP door: translates calls into use cases, and their outcomes into answers. */
@NullMarked
package fleet.tower.web;

import org.jspecify.annotations.NullMarked;
