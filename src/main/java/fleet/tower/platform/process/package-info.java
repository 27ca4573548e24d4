/** What every adapter that starts processes needs: the C library, a process' relatives, and the shell that outlives us. */
@NullMarked
package fleet.tower.platform.process;

import org.jspecify.annotations.NullMarked;
