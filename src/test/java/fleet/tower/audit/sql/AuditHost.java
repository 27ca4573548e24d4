package fleet.tower.audit.sql;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import fleet.tower.audit.AuditLog;
import fleet.tower.audit.AuditTrail;
import fleet.tower.audit.FleetAuditLog;
import fleet.tower.audit.jsonl.AuditFiles;
import fleet.tower.harness.Await;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.time.SystemTime;

/** The audit log of one process on a host of a fleet. */
final class AuditHost implements AutoCloseable {
  private final String id;
  private final Database database;
  private final List<String> warnings = new ArrayList<>();
  private @Nullable FleetAuditLog common;
  private @Nullable AuditFiles files;

  AuditHost(String id, String url) {
    this.id = id;
    this.database = Database.at(url);
  }

  /** Sets the directory of its files; the first one is kept. */
  AuditHost in(Path directory) {
    if (common == null) {
      files = new AuditFiles(directory.resolve("audit"), SystemTime.scheduler(), this::warn);
      common = new SqlAudit(database, files.pages(), id, SystemTime.scheduler(), this::warn).open();
    }
    return this;
  }

  private synchronized void warn(String warning) {
    warnings.add(warning);
  }

  synchronized List<String> warnings() {
    return List.copyOf(warnings);
  }

  FleetAuditLog common() {
    if (common == null) {
      throw new IllegalStateException("no directory was named");
    }
    return common;
  }

  AuditFiles files() {
    if (files == null) {
      throw new IllegalStateException("no directory was named");
    }
    return files;
  }

  AuditLog log() {
    return common().replicating(files().log());
  }

  AuditTrail trail() {
    return common().trail(files().trail());
  }

  /** The events of all hosts, as request and host. */
  List<String> seen() {
    List<String> seen = new ArrayList<>();
    trail().read(new AuditTrail.Query(null, null, null, null, null),
        entry -> seen.add(entry.requestId() + "@" + hostOf(entry)));
    return seen;
  }

  private static String hostOf(AuditTrail.Entry entry) {
    return entry.line().replaceAll(".*\"host_id\":\"([^\"]*)\"}", "$1");
  }

  /** Finishes as a command does, but waits for the end of the copy, however long it takes. */
  @Override
  public void close() {
    if (common != null) {
      Await.until("the end of the copy", common::finish);
    }
    database.close();
  }
}
