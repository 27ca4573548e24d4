/** Tests of the documents: their commands are run, and their output is compared. */
@NullMarked
package fleet.tower.documents;

import org.jspecify.annotations.NullMarked;
