package fleet.tower.run.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.harness.Await;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.time.ManualTime;
import fleet.tower.run.OutputStore;
import fleet.tower.run.StepLogs;

@DisplayName("Copying logs to the database")
class OutputCopierTest {
  private static final Duration DELAY = Duration.ofMillis(100);

  private final ManualTime time = new ManualTime();
  private final Files files = new Files();
  private final Table table = new Table();
  private final List<String> warnings = Collections.synchronizedList(new ArrayList<>());
  private final OutputCopier copier = new OutputCopier(files, table, time, warnings::add);

  @AfterEach
  void close() {
    table.isAway = false;
    copier.close();
  }

  /** The log files of this host. */
  private static final class Files implements StepLogs {
    private final Map<String, byte[]> logs = new ConcurrentHashMap<>();

    void put(String run, String log, byte[] bytes) {
      logs.put(run + "/" + log, bytes);
    }

    @Override
    public Output read(RequestId id, String log, long from, int maxBytes) {
      byte[] bytes = logs.getOrDefault(id + "/" + log, new byte[0]);
      int begin = (int) Math.min(from, bytes.length);
      int end = Math.min(bytes.length, begin + maxBytes);
      return new Output(Arrays.copyOfRange(bytes, begin, end), end);
    }

    @Override
    public long size(RequestId id, String log) {
      return logs.getOrDefault(id + "/" + log, new byte[0]).length;
    }
  }

  /** The table, which may be away. */
  private static final class Table implements OutputStore {
    private final List<List<Chunk>> batches = Collections.synchronizedList(new ArrayList<>());
    private volatile boolean isAway;
    private final AtomicInteger failures = new AtomicInteger();

    @Override
    public void append(List<Chunk> chunks) {
      if (isAway) {
        failures.incrementAndGet();
        throw new StorageException("the database is away");
      }
      batches.add(List.copyOf(chunks));
    }

    List<String> chunks() {
      synchronized (batches) {
        return batches.stream().flatMap(List::stream).map(Table::text).toList();
      }
    }

    static String text(Chunk chunk) {
      return chunk.requestId() + "/" + chunk.logName() + " " + chunk.start() + "-" + chunk.end();
    }

    @Override
    public Map<RequestId, Map<String, Long>> sizes(List<RequestId> ids) {
      return Map.of();
    }

    @Override
    public Output read(RequestId id, String log, long from, int maxBytes) {
      return new Output(new byte[0], from);
    }

    @Override
    public long size(RequestId id, String log) {
      return 0;
    }
  }

  private OutputCopier.Log grown(String run, String log, int size) {
    files.put(run, log, new byte[size]);
    OutputCopier.Log grown = copier.log(new RequestId(run), log);
    grown.grow();
    return grown;
  }

  @Test
  @DisplayName("What several runs print within a moment is written in one transaction, each part from where the last ended")
  void batches() {
    OutputCopier.Log one = grown("r1", "a", 10);
    grown("r2", "b", 20);
    assertThat(table.batches).isEmpty();
    time.advance(DELAY);
    Await.until("both are copied", () -> table.chunks().size() == 2);
    assertThat(table.batches).hasSize(1);

    files.put("r1", "a", new byte[15]);
    one.grow();
    time.advance(DELAY);
    Await.until("the rest is copied", () -> table.chunks().size() == 3);
    assertThat(table.chunks()).containsExactlyInAnyOrder("r1/a 0-10", "r2/b 0-20", "r1/a 10-15");
  }

  @Test
  @DisplayName("A further try of a step continues the log of the try before, while that is not copied yet")
  void tries() {
    grown("r1", "a", 10).end();
    grown("r1", "a", 15);
    time.advance(DELAY);
    Await.until("it is copied", () -> !table.chunks().isEmpty());

    assertThat(table.chunks()).containsExactly("r1/a 0-15");
  }

  @Test
  @DisplayName("The end of a run does not wait for the delay, and the end of one without output waits for nothing")
  void end() {
    OutputCopier.Log silent = copier.log(new RequestId("r0"), "a");
    silent.end();
    assertThat(copier.await(new RequestId("r0"))).isTrue();
    assertThat(time.pendingDelays()).isEmpty();

    grown("r1", "a", 10).end();
    assertThat(copier.await(new RequestId("r1"))).isTrue();
    assertThat(table.chunks()).containsExactly("r1/a 0-10");
  }

  @Test
  @DisplayName("A burst is copied in batches of at most 1 MiB, in parts of 64 KiB, without a pause")
  void burst() {
    grown("r1", "a", 3 * 1024 * 1024 + 5);
    assertThat(copier.await(new RequestId("r1"))).isTrue();
    assertThat(table.batches).hasSize(4).allSatisfy(batch -> {
      assertThat(batch).allSatisfy(chunk -> assertThat(chunk.bytes()).hasSizeLessThanOrEqualTo(65_536));
      assertThat(batch.stream().mapToInt(chunk -> chunk.bytes().length).sum()).isLessThanOrEqualTo(1 << 20);
    });
    assertThat(table.chunks()).hasSize(49).endsWith("r1/a " + 3 * 1024 * 1024 + "-" + (3 * 1024 * 1024 + 5));
  }

  @Test
  @DisplayName("While the database is unavailable, a run waits five seconds for its output, which is copied later; "
      + "reported once")
  void away() throws Exception {
    table.isAway = true;
    grown("r1", "a", 10);
    CompletableFuture<Boolean> end = CompletableFuture.supplyAsync(() -> copier.await(new RequestId("r1")));
    Await.until("the failure is reported", () -> !warnings.isEmpty());
    while (!end.isDone()) {
      int before = table.failures.get();
      // The timer of the next try may be set only now.
      Await.until("it was tried again, or the wait is over", () -> {
        time.advance(DELAY);
        return table.failures.get() > before || end.isDone();
      });
    }
    assertThat(end.get()).isFalse();
    assertThat(warnings).containsExactly("output is in this host's files but not yet in the fleet's database, where it"
        + " is copied later: the database is away");

    table.isAway = false;
    Await.until("it is copied", () -> {
      time.advance(Duration.ofSeconds(1));
      return !table.batches.isEmpty();
    });
    assertThat(table.chunks()).containsExactly("r1/a 0-10");
  }
}
