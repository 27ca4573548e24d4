package fleet.tower.roster.sql;

import static java.util.Objects.requireNonNull;

import fleet.tower.roster.Roster;
import fleet.tower.sql.Database;

/**
 * Opens the roster of a fleet.
 *
 * @param url {@code jdbc:postgresql://HOST/NAME}
 */
public record SqlRosters(String url) {
  public SqlRosters {
    requireNonNull(url);
  }

  /** The roster of the database. Nothing is touched before the first call. */
  public Roster open() {
    return new SqlRoster(Database.at(url));
  }
}
