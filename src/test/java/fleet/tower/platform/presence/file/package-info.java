@NullMarked
package fleet.tower.platform.presence.file;

import org.jspecify.annotations.NullMarked;
