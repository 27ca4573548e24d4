/** JSON text with positions, read strictly and written plainly; no object mapper, because short commands start in milliseconds. */
@NullMarked
package fleet.tower.platform.json;

import org.jspecify.annotations.NullMarked;
