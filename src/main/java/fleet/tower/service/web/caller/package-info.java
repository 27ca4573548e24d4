/** The call about the caller itself. */
@NullMarked
package fleet.tower.service.web.caller;

import org.jspecify.annotations.NullMarked;
