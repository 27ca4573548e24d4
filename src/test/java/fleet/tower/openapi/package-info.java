/** The document of all calls, taken at its word: every call that it has is made, and every answer compared with what it says. */
@NullMarked
package fleet.tower.openapi;

import org.jspecify.annotations.NullMarked;
