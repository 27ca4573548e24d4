/** Locks as the files of {@code tower-fleet/lock/v1}, one directory for all processes of a host. */
@NullMarked
package fleet.tower.lock.file;

import org.jspecify.annotations.NullMarked;
