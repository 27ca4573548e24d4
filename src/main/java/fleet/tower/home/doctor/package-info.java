/** Is this home sound: what is looked at, how it is, and what to do about it. */
@NullMarked
package fleet.tower.home.doctor;

import org.jspecify.annotations.NullMarked;
