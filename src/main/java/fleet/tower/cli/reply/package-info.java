/** What all doors answer, as JSON and text. */
@NullMarked
package fleet.tower.cli.reply;

import org.jspecify.annotations.NullMarked;
