package fleet.tower.home;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import fleet.tower.audit.jsonl.AuditFiles;
import fleet.tower.home.move.MarkFile;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.disk.OwnerOnly;
import fleet.tower.platform.disk.RecordedFiles;
import fleet.tower.run.sql.SqlRuns;

/**
 * What the journal of a home's locks records in addition to them: the runs of its SQLite database, and its audit log.
 */
record HomeRecords(Path root, SqlRuns runs, AuditFiles audit) implements RecordedFiles {
  private static final String WAL = "state/tower.db-wal";

  @Override
  public void restore(List<String> records) throws IOException {
    audit.recorded().restore(records);
    if (MarkFile.of(root).move().isPresent()) {
      // The move reads or has read the database, and no run begins.
      return;
    }
    try {
      runs.restore(records);
    } catch (StorageException e) {
      throw new IOException("its runs cannot be restored: " + e.getMessage(), e);
    }
  }

  /** SQLite syncs its write-ahead log before it removes it. */
  @Override
  public void sync() throws IOException {
    Path wal = root.resolve(WAL);
    if (Files.exists(wal)) {
      OwnerOnly.sync(wal);
    }
    audit.recorded().sync();
  }
}
