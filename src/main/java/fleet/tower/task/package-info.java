/** Tasks: agents claim them, renew their claims, and close them; the task of a dead agent is offered again. */
@NullMarked
package fleet.tower.task;

import org.jspecify.annotations.NullMarked;
