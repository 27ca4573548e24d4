/** What is old goes, what is not over stays. */
@NullMarked
package fleet.tower.home.retention;

import org.jspecify.annotations.NullMarked;
