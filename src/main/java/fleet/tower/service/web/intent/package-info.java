/** What calls that name an intent have in common over HTTP: its parameters, and why they do not fit. */
@NullMarked
package fleet.tower.service.web.intent;

import org.jspecify.annotations.NullMarked;
