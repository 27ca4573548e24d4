/** What is secret is nowhere to be seen. */
@NullMarked
package fleet.tower.platform.secret;

import org.jspecify.annotations.NullMarked;
