/** Values that nobody may see, and how they are kept out of everything that is shown or kept. */
@NullMarked
package fleet.tower.platform.secret;

import org.jspecify.annotations.NullMarked;
