/** What HTTP calls that name an intent share: its parameters and their errors. */
@NullMarked
package fleet.tower.service.web.intent;

import org.jspecify.annotations.NullMarked;
