package fleet.tower.run.members.sql;

import fleet.tower.platform.sql.DatabaseLocation;
import fleet.tower.run.members.MemberStore;

/**
 * Opens the member store of a fleet.
 *
 * @param location the database of the fleet
 */
public record SqlMembers(DatabaseLocation location) {

  /** The store in a database whose outages are not observed. */
  public SqlMembers(String url) {
    this(DatabaseLocation.of(url));
  }

  /** Opens the store; the database is not used before the first call. */
  public MemberStore open() {
    return new SqlMemberStore(location.open());
  }
}
