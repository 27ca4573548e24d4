package fleet.tower.run.members.sql;

import fleet.tower.platform.sql.Database;
import fleet.tower.run.members.MemberStore;

/**
 * Opens the member store of a fleet.
 *
 * @param url {@code jdbc:postgresql://HOST/NAME}
 */
public record SqlMembers(String url) {

  /** Opens the store; the database is not used before the first call. */
  public MemberStore open() {
    return new SqlMemberStore(Database.at(url));
  }
}
