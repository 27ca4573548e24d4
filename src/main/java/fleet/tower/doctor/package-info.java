/** Is this home sound: what is looked at, how it is, and what to do about it. */
@NullMarked
package fleet.tower.doctor;

import org.jspecify.annotations.NullMarked;
