/** What every adapter on files needs: errors by name, calls that outlive an interrupt, files that only their owner may read. */
@NullMarked
package fleet.tower.platform.disk;

import org.jspecify.annotations.NullMarked;
