/** Presence as files that their processes keep locked for life. */
@NullMarked
package fleet.tower.platform.presence.file;

import org.jspecify.annotations.NullMarked;
