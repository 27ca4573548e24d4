/** Console output and suggestions for misspelled names. */
@NullMarked
package fleet.tower.platform.text;

import org.jspecify.annotations.NullMarked;
