@NullMarked
package fleet.tower.heartbeat;

import org.jspecify.annotations.NullMarked;
