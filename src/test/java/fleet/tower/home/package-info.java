/** What the doctor finds in the home itself and in the Java that runs it. */
@NullMarked
package fleet.tower.home;

import org.jspecify.annotations.NullMarked;
