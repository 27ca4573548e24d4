/** Requests of other processes for the runs of this one. */
@NullMarked
package fleet.tower.run.request;

import org.jspecify.annotations.NullMarked;
