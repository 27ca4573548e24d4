@NullMarked
package fleet.tower.home.doctor;

import org.jspecify.annotations.NullMarked;
