package fleet.tower.mailbox.sql;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;

import fleet.tower.lease.LeaseName;
import fleet.tower.mailbox.MailboxName;
import fleet.tower.mailbox.MailboxStore;

/** Rows that begin with a mailbox, the number of its messages, and their bytes. */
final class SizeRow {
  private SizeRow() {}

  /** Empty for a row of another program with an invalid mailbox name. */
  static Optional<MailboxStore.Size> read(ResultSet row) throws SQLException {
    String mailbox = row.getString(1);
    return LeaseName.isValid(mailbox)
        ? Optional.of(new MailboxStore.Size(new MailboxName(mailbox), row.getLong(2), row.getLong(3)))
        : Optional.empty();
  }
}
