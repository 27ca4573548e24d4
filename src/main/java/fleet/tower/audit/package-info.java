/** Who held what, when, and who took it from whom: the events, and the log they go to. */
@NullMarked
package fleet.tower.audit;

import org.jspecify.annotations.NullMarked;
