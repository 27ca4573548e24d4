/** Working through tasks: claim one, do it while the claim is kept alive, close it, claim the next. */
@NullMarked
package fleet.tower.task.worker;

import org.jspecify.annotations.NullMarked;
