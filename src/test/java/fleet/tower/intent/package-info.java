/** Tests of the intent model: templates, values, lock names, JSON. */
@NullMarked
package fleet.tower.intent;

import org.jspecify.annotations.NullMarked;
