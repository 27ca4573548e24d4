package fleet.tower.run.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.harness.Await;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.sql.DirectTables;
import fleet.tower.platform.sql.Notifications;
import fleet.tower.platform.sql.PostgresServer;
import fleet.tower.platform.time.Notices;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.run.OutputStore;
import fleet.tower.run.Run;
import fleet.tower.run.RunStore;
import fleet.tower.run.Runs;

@DisplayName("The table of output")
class SqlOutputStoreTest {
  private final String url = PostgresServer.newDatabase();
  private final Database database = Database.at(url);
  private final OutputStore store = SqlRuns.output(database);
  private final RunStore runs = new SqlRuns(url).open();
  private final DirectTables tables = new DirectTables(url);
  private final Run run = Runs.succeeded(Runs.waiting("r1"));
  private final RequestId id = run.requestId();

  @BeforeEach
  void begin() {
    runs.begin(Runs.claim("r1"), run, "x");
  }

  @AfterEach
  void close() {
    runs.close();
    database.close();
  }

  private OutputStore.Chunk chunk(byte[] log, int from, int to) {
    return new OutputStore.Chunk(id, "a", from, Arrays.copyOfRange(log, from, to));
  }

  @Test
  @DisplayName("Parts that overlap, in any order of their transactions, are read as the log that they come from")
  void overlaps() {
    for (int seed = 0; seed < 20; seed++) {
      Random random = new Random(seed);
      byte[] log = new byte[1 + random.nextInt(300_000)];
      random.nextBytes(log);
      List<OutputStore.Chunk> parts = new ArrayList<>();
      for (int writer = 0; writer < 2; writer++) {
        for (int at = 0; at < log.length;) {
          int end = Math.min(log.length, at + 1 + random.nextInt(OutputStore.CHUNK_BYTES));
          parts.add(chunk(log, at, end));
          at = end;
        }
      }
      Collections.shuffle(parts, random);
      parts.forEach(part -> store.append(List.of(part)));

      assertThat(store.size(id, "a")).isEqualTo(log.length);
      assertThat(store.sizes(List.of(id, new RequestId("none")))).isEqualTo(Map.of(id, Map.of("a", (long) log.length)));
      for (int i = 0; i < 10; i++) {
        int from = random.nextInt(log.length + 1);
        int most = random.nextInt(200_000);
        int end = Math.min(log.length, from + most);
        assertThat(store.read(id, "a", from, most).bytes()).isEqualTo(Arrays.copyOfRange(log, from, end));
        assertThat(store.read(id, "a", from, most).next()).isEqualTo(end);
      }
      tables.change("DELETE FROM run_output");
    }
  }

  @Test
  @DisplayName("A batch is announced to the followers of its runs; parts of a removed run are ignored")
  void announced() throws Exception {
    CountDownLatch announced = new CountDownLatch(1);
    CountDownLatch listens = new CountDownLatch(1);
    try (Notifications notifications = new Notifications(database, SystemTime.scheduler());
        var _ = notifications.subscribe("output", new Notices.Listener() {
          @Override
          public void changed(String subject) {
            if (subject.equals(id.value())) {
              announced.countDown();
            }
          }

          @Override
          public void missed() {
            listens.countDown();
          }
        })) {
      Await.until("it listens", () -> listens.getCount() == 0);
      store
          .append(List.of(new OutputStore.Chunk(new RequestId("gone"), "a", 0, new byte[3]), chunk(new byte[5], 0, 5)));
      Await.until("it is announced", () -> announced.getCount() == 0);
    }
    assertThat(tables.look("SELECT request_id FROM run_output")).containsExactly(id.value());
  }

  @Test
  @DisplayName("The output is removed with its run, whichever statement removes it")
  void removed() {
    store.append(List.of(chunk(new byte[100_000], 0, 60_000), chunk(new byte[100_000], 60_000, 100_000)));
    assertThat(tables.look("SELECT start_at FROM run_output ORDER BY 1")).containsExactly("0", "60000");
    tables.change("DELETE FROM runs WHERE request_id = '" + id + "' AND finished_at < 9000000000000000");
    assertThat(tables.look("SELECT start_at FROM run_output")).isEmpty();
    assertThat(store.size(id, "a")).isZero();
  }
}
