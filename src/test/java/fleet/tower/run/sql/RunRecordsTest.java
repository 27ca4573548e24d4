package fleet.tower.run.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.lease.RequestId;
import fleet.tower.platform.disk.Journal;
import fleet.tower.platform.disk.RecordedFiles.Recorder;
import fleet.tower.platform.sql.Database;
import fleet.tower.run.Run;
import fleet.tower.run.RunStatus;
import fleet.tower.run.RunStore;
import fleet.tower.run.Runs;

class RunRecordsTest {
  private static final RequestId R = new RequestId("r");
  private static final String HERE = "executor-1";

  private final List<String> records = new ArrayList<>();
  private final Path directory;
  private final String url;
  private final RunStore store;

  RunRecordsTest(@TempDir Path directory) {
    this.directory = directory;
    url = "jdbc:sqlite:" + directory.resolve("state/tower.db");
    store = new SqlRuns(url).open(record -> {
      records.add(record);
      return () -> {};
    });
  }

  @AfterEach
  void close() {
    store.close();
  }

  private static Run ended(Run run) {
    return run.finished(RunStatus.SUCCEEDED, Runs.NOON.plusSeconds(9));
  }

  private static Run later() {
    return Runs.waiting("r", "anna", Runs.NOON.plusSeconds(60));
  }

  /** A database that has lost everything, after a restore. */
  private RunStore restored() {
    SqlRuns lost = new SqlRuns("jdbc:sqlite:" + directory.resolve("lost/tower.db"));
    lost.restore(records);
    lost.restore(records);
    return lost.open();
  }

  private List<String> rows() {
    try (Database database = Database.at(url)) {
      return database.read(session -> session.query("SELECT * FROM runs ORDER BY sequence", row -> {
        List<String> columns = new ArrayList<>();
        for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
          columns.add(String.valueOf(row.getString(i)));
        }
        return columns.toString();
      })).orElseThrow();
    }
  }

  @Test
  @DisplayName("Lost runs are restored as they began and ended, with their executors and keys")
  void lost() {
    Run full = Runs.full("full");
    store.begin(Runs.claim("r", "key"), Runs.waiting("r"), HERE);
    store.begin(Runs.claim("full"), Runs.waiting("full"), "executor \0 \udfff");
    store.save(full, true);

    try (RunStore restored = restored()) {
      assertThat(restored.find(R)).contains(Runs.waiting("r"));
      assertThat(restored.find(full.requestId())).contains(full);
      assertThat(restored.look(Runs.claim("again", "key"))).isEqualTo(new RunStore.Same(Runs.waiting("r")));
      assertThat(restored.unfinished()).containsExactly(new RunStore.Unfinished(R, HERE));
    }
  }

  @Test
  @DisplayName("After a boot without losses, no row changes: finished, interrupted, begun, removed or discarded")
  void nothingLost() {
    for (String id : List.of("ended", "begun", "interrupted", "forgotten", "discarded", "taken")) {
      store.begin(Runs.claim(id), Runs.waiting(id), HERE);
    }
    store.save(ended(Runs.waiting("ended")), true);
    store.save(Runs.waiting("begun").withStatus(RunStatus.RUNNING), false);
    store.interrupt(new RequestId("interrupted"), HERE, Runs.NOON);
    store.forget(new RequestId("forgotten"));
    store.save(ended(Runs.waiting("discarded")), true);
    assertThat(store.discard(new RequestId("discarded"), Instant.parse("2027-01-01T00:00:00Z"))).isTrue();
    assertThat(store.take(new RequestId("taken"), HERE, "executor-2")).isPresent();
    List<String> before = rows();

    new SqlRuns(url).restore(records);

    assertThat(before).hasSize(4);
    assertThat(rows()).isEqualTo(before);
  }

  @Test
  @DisplayName("A request that was repeated after a refusal is restored as its last run, wherever the loss began")
  void repeated() {
    store.begin(Runs.claim("r"), Runs.waiting("r"), HERE);
    store.save(Runs.waiting("r").refused(Runs.TIMED_OUT, Runs.NOON), false);
    List<String> first = List.copyOf(records);
    store.begin(Runs.claim("r"), later(), HERE);
    store.save(ended(later()), true);
    SqlRuns old = new SqlRuns("jdbc:sqlite:" + directory.resolve("old/tower.db"));
    old.restore(first);
    old.restore(records);

    try (RunStore restored = restored(); RunStore older = old.open()) {
      assertThat(restored.find(R)).contains(ended(later()));
      assertThat(older.find(R)).contains(ended(later()));
    }
  }

  @Test
  @DisplayName("Without a journal, or if its sync fails, the run is still recorded")
  void withoutJournal() {
    Recorder none = _ -> null;
    Journal.Entry failing = () -> {
      throw new IOException("disk broken");
    };
    for (Recorder recorder : List.<Recorder>of(none, _ -> failing)) {
      try (RunStore unrecorded = new SqlRuns(url).open(recorder)) {
        assertThat(unrecorded.begin(Runs.claim("r"), Runs.waiting("r"), HERE)).isEqualTo(new RunStore.New());
        unrecorded.save(ended(Runs.waiting("r")), true);
        assertThat(unrecorded.find(R)).contains(ended(Runs.waiting("r")));
        unrecorded.forget(R);
      }
    }
  }
}
