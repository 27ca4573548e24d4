/** A home: its adapters, composed once per service or command, its health check, and its clean-up. */
@NullMarked
package fleet.tower.home;

import org.jspecify.annotations.NullMarked;
