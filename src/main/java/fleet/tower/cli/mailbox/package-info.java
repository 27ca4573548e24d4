/** The commands about mailboxes, on the database of a home or through a service. */
@NullMarked
package fleet.tower.cli.mailbox;

import org.jspecify.annotations.NullMarked;
