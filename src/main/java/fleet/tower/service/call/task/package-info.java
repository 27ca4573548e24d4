/** Calls about tasks. */
@NullMarked
package fleet.tower.service.call.task;

import org.jspecify.annotations.NullMarked;
