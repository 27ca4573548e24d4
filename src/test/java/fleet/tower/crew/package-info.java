/** Workers on real mailboxes, with time moved by hand. */
@NullMarked
package fleet.tower.crew;

import org.jspecify.annotations.NullMarked;
