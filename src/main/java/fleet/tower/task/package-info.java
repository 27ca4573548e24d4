/** Tasks: agents claim them, prove that they are at work, and close them; what a dead agent held is offered again. */
@NullMarked
package fleet.tower.task;

import org.jspecify.annotations.NullMarked;
