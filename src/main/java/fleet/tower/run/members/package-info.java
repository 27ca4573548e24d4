/** The processes of a fleet that execute runs: which there are, where, and which of them live. */
@NullMarked
package fleet.tower.run.members;

import org.jspecify.annotations.NullMarked;
