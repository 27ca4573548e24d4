/** The overview: what runs, waits, is held, frozen or interrupted, as one snapshot and its changes. */
@NullMarked
package fleet.tower.service.call.overview;

import org.jspecify.annotations.NullMarked;
