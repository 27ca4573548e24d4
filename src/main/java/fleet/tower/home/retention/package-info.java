/** What is thrown away because nobody will ask for it any more: old runs, what they printed, old days of the audit log. */
@NullMarked
package fleet.tower.home.retention;

import org.jspecify.annotations.NullMarked;
