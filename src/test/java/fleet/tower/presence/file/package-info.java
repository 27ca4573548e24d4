@NullMarked
package fleet.tower.presence.file;

import org.jspecify.annotations.NullMarked;
