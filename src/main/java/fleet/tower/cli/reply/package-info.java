/** What several groups of commands answer alike: failures, refusals, tables. */
@NullMarked
package fleet.tower.cli.reply;

import org.jspecify.annotations.NullMarked;
