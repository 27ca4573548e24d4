/** Tests of masking secrets. */
@NullMarked
package fleet.tower.platform.secret;

import org.jspecify.annotations.NullMarked;
