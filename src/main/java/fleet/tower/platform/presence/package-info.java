/** Detection of live processes: each process publishes its presence and can query that of others. */
@NullMarked
package fleet.tower.platform.presence;

import org.jspecify.annotations.NullMarked;
