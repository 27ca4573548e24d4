/** Presence as files that their processes keep locked for life. */
@NullMarked
package fleet.tower.presence.file;

import org.jspecify.annotations.NullMarked;
