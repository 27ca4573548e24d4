/** What is secret is nowhere to be seen. */
@NullMarked
package fleet.tower.secret;

import org.jspecify.annotations.NullMarked;
