/** The mailboxes of a service: requests and the reading of its answers. */
@NullMarked
package fleet.tower.cli.remote.mailbox;

import org.jspecify.annotations.NullMarked;
