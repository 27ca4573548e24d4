@NullMarked
package fleet.tower.lease.keepalive;

import org.jspecify.annotations.NullMarked;
