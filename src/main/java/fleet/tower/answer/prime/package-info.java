/** The page of instructions for agents: what is guarded, what can be run, what to do when refused. */
@NullMarked
package fleet.tower.answer.prime;

import org.jspecify.annotations.NullMarked;
