/** Presence as files that processes keep locked while they are alive. */
@NullMarked
package fleet.tower.platform.presence.file;

import org.jspecify.annotations.NullMarked;
