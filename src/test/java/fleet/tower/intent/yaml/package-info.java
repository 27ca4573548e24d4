/** Tests of intent files: every mistake is reported with its position, whatever the file contains. */
@NullMarked
package fleet.tower.intent.yaml;

import org.jspecify.annotations.NullMarked;
