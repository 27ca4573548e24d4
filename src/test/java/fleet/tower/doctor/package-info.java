@NullMarked
package fleet.tower.doctor;

import org.jspecify.annotations.NullMarked;
