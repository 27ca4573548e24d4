/** Names that people type, and those they most likely meant. */
@NullMarked
package fleet.tower.words;

import org.jspecify.annotations.NullMarked;
