package fleet.tower.lock.sql;

import java.util.List;

import fleet.tower.platform.Examination;
import fleet.tower.platform.Finding;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.sql.Database;

/** Checks whether a standby that takes over would know every granted lock. */
final class ReplicationExamination implements Examination {
  private static final String CHECK = "replication";

  private final Database database;

  ReplicationExamination(Database database) {
    this.database = database;
  }

  @Override
  public List<Finding> examine() {
    try {
      return List.of(switch (Standbys.replication(database)) {
        case NONE -> Finding.ok(CHECK, "no standby follows this server");
        case SYNCHRONOUS -> Finding.ok(CHECK, "synchronous: a standby has every granted lock");
        case ASYNCHRONOUS -> Finding.warn(CHECK,
            "degraded: asynchronous replication; a standby that takes over may miss the latest locks",
            "set synchronous_standby_names on the server, or accept the risk described in docs/fleet.md");
      });
    } catch (StorageException e) {
      return List.of(Finding.warn(CHECK, "cannot be checked", String.valueOf(e.getMessage())));
    }
  }
}
