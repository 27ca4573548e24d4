/** What several groups of calls share: the envelope, bounded waits, disconnected clients. */
@NullMarked
package fleet.tower.service.web.call;

import org.jspecify.annotations.NullMarked;
