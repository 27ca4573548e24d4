/** Mailboxes of a service: what it is asked, and what its answers mean. */
@NullMarked
package fleet.tower.cli.remote.mailbox;

import org.jspecify.annotations.NullMarked;
