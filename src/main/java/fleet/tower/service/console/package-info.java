/** The pages of the console, served by the service itself. */
@NullMarked
package fleet.tower.service.console;

import org.jspecify.annotations.NullMarked;
