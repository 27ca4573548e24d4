/** Heartbeats of runs from outside, as writes to files. */
@NullMarked
package fleet.tower.run.file;

import org.jspecify.annotations.NullMarked;
