/** Tests of what an intent is: templates, values, locks' names, the catalogue's answers. */
@NullMarked
package fleet.tower.intent;

import org.jspecify.annotations.NullMarked;
