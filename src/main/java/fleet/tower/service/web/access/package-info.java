/** Who calls over HTTP, and whether he may: before anything else is done, and told to the audit log where he may not. */
@NullMarked
package fleet.tower.service.web.access;

import org.jspecify.annotations.NullMarked;
