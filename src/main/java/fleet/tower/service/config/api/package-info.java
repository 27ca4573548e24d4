/** What the service says of itself: its calls, as a document that programs read. */
@NullMarked
package fleet.tower.service.config.api;

import org.jspecify.annotations.NullMarked;
