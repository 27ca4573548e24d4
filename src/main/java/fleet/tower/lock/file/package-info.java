/** Locks as {@code tower-fleet/lock/v1} files, in one directory shared by all processes of a host. */
@NullMarked
package fleet.tower.lock.file;

import org.jspecify.annotations.NullMarked;
