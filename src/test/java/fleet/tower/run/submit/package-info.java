/** Runs from the request to their end, with time and processes moved by hand and locks on real files. */
@NullMarked
package fleet.tower.run.submit;

import org.jspecify.annotations.NullMarked;
