/** Tests of text for people. */
@NullMarked
package fleet.tower.platform.text;

import org.jspecify.annotations.NullMarked;
