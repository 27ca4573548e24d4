/** Tasks over HTTP. */
@NullMarked
package fleet.tower.web.task;

import org.jspecify.annotations.NullMarked;
