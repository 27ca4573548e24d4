/** What calls that name an intent share: its parameters, rights and errors. */
@NullMarked
package fleet.tower.service.call.intent;

import org.jspecify.annotations.NullMarked;
