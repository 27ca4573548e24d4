/** Runs from the request to the end, with manual time and processes and locks in real files. */
@NullMarked
package fleet.tower.run.submit;

import org.jspecify.annotations.NullMarked;
