/** The documents, taken at their word: what they say to type is typed, and what they say it prints is compared. */
@NullMarked
package fleet.tower.documents;

import org.jspecify.annotations.NullMarked;
