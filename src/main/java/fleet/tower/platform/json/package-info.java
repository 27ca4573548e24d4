/**
 * A strict JSON parser that keeps positions, and a JSON writer; no object mapper, so that short commands start within
 * milliseconds.
 */
@NullMarked
package fleet.tower.platform.json;

import org.jspecify.annotations.NullMarked;
