/** What both doors answer: error codes, JSON and text. */
@NullMarked
package fleet.tower.cli.reply;

import org.jspecify.annotations.NullMarked;
