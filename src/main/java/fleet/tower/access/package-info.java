/** Access control: callers, roles and their rights, and the ports to the stores of tokens. */
@NullMarked
package fleet.tower.access;

import org.jspecify.annotations.NullMarked;
