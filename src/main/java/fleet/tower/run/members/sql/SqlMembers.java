package fleet.tower.run.members.sql;

import static java.util.Objects.requireNonNull;

import fleet.tower.platform.sql.Database;
import fleet.tower.run.members.MemberStore;

/**
 * Opens the roster of a fleet.
 *
 * @param url {@code jdbc:postgresql://HOST/NAME}
 */
public record SqlMembers(String url) {
  public SqlMembers {
    requireNonNull(url);
  }

  /** The roster of the database. Nothing is touched before the first call. */
  public MemberStore open() {
    return new SqlMemberStore(Database.at(url));
  }
}
