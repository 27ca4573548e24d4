/** HTTP calls about tasks. */
@NullMarked
package fleet.tower.service.web.task;

import org.jspecify.annotations.NullMarked;
