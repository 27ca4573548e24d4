/** What people install: the tarball, the unit for systemd, the image. */
@NullMarked
package fleet.tower.release;

import org.jspecify.annotations.NullMarked;
