/** Tests of the release: the tarball, the systemd unit, the image. */
@NullMarked
package fleet.tower.release;

import org.jspecify.annotations.NullMarked;
