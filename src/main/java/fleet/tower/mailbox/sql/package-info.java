/** Mailboxes in SQLite and PostgreSQL. */
@NullMarked
package fleet.tower.mailbox.sql;

import org.jspecify.annotations.NullMarked;
