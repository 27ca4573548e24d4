/** Names that people type, and those they most likely meant. */
@NullMarked
package fleet.tower.platform.text;

import org.jspecify.annotations.NullMarked;
