package fleet.tower.audit;

import static fleet.tower.lease.Actors.ORIGIN;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.platform.list.PageWalk;
import fleet.tower.platform.list.Rows;

/** The contract of every audit trail, whatever its storage. */
public abstract class AuditTrailContract {
  protected static final AuditTrail.Query ALL = new AuditTrail.Query(null, null, null, null, null);
  private static final AuditTrail.Query FROM_THE_START = new AuditTrail.Query(Instant.EPOCH, null, null, null, null);
  private static final Instant DAY_1 = Instant.parse("2026-01-01T23:59:00Z");
  private static final Instant DAY_2 = Instant.parse("2026-01-02T00:01:00Z");

  @TempDir
  private Path directory = Path.of("not-yet");

  private final List<String> places = new ArrayList<>();

  /** A trail over the log files of a directory. */
  protected abstract AuditTrail trail(Path files);

  protected abstract AuditLog log(Path files);

  private void acquired(String requestId, Instant at) {
    log(directory).write(List.of(acquiredBy(requestId, at)));
  }

  /** Writes an event of the lock {@code prod}. */
  public static AuditEvent acquiredBy(String requestId, Instant at) {
    return new AuditEvent.LockAcquired(new RequestId(requestId), at, new LeaseName("prod"), "/locks/prod.lock",
        Ttl.DEFAULT, ORIGIN);
  }

  private void blocked(String requestId, Instant at) {
    log(directory).write(List.of(
        new AuditEvent.LockBlocked(new RequestId(requestId), at, new LeaseName("other"), "lock_blocked", null,
            ORIGIN)));
  }

  private List<@Nullable String> read(AuditTrail.Query query) {
    List<@Nullable String> found = new ArrayList<>();
    trail(directory).read(query, entry -> found.add(entry.requestId()));
    return found;
  }

  private List<@Nullable String> newest(int limit) {
    List<@Nullable String> found = new ArrayList<>();
    page(limit, null, Long.MAX_VALUE).rows().forEach(entry -> found.add(entry.requestId()));
    return found;
  }

  @Test
  @DisplayName("The newest entries are limited by their total size, and truncation is reported")
  void newestBySize() {
    for (int i = 10; i < 30; i++) {
      acquired("r" + i, Instant.parse("2026-07-24T10:00:" + i + "Z"));
    }
    Rows<AuditTrail.Entry> all = page(100, null, Long.MAX_VALUE);
    assertThat(all.rows()).hasSize(20);
    assertThat(all.isTruncated()).isFalse();
    assertThat(all.next()).isNull();
    long three = all.rows().subList(17, 20).stream().mapToLong(entry -> entry.line().length()).sum();
    assertThat(page(100, null, three).rows()).isEqualTo(all.rows().subList(17, 20));
    assertThat(page(100, null, three).isTruncated()).isTrue();
    assertThat(page(100, null, three).next()).isNotNull();
    assertThat(page(100, null, three - 1).rows()).isEqualTo(all.rows().subList(18, 20));
    assertThat(page(100, null, 1).rows()).as("a page has at least one").isEqualTo(all.rows().subList(19, 20));
    assertThat(page(3, null, three).rows()).isEqualTo(all.rows().subList(17, 20));
    assertThat(page(3, null, three).isTruncated()).isFalse();
    assertThat(page(2, null, three).isTruncated()).isFalse();
  }

  @Test
  @DisplayName("Pages lead from the newest to the oldest entry, across days, while entries are added")
  void pages() {
    List<String> written = new ArrayList<>();
    for (int i = 0; i < 2500; i++) {
      String id = "r" + i + "x".repeat(i % 3 == 0 ? 100 : 0);
      acquired(id, i < 1200 ? DAY_1 : DAY_2);
      written.addFirst(id);
    }
    List<String> read = PageWalk.<AuditTrail.Entry>rows(ALL.page(false, 300, null),
        (page, reader) -> trail(directory).readBack(ALL, page, reader), count -> acquired("late" + count, DAY_2))
        .stream().map(entry -> String.valueOf(entry.requestId())).toList();
    assertThat(read).isEqualTo(written);
  }

  private Rows<AuditTrail.Entry> page(int limit, @Nullable String cursor, long maxSize) {
    return trail(directory).page(ALL, ALL.page(false, limit, cursor), maxSize);
  }

  /** Receives a number of entries, and signals when it has begun. */
  private List<@Nullable String> follow(AuditTrail.Query query, @Nullable String place, int enough, Runnable begun) {
    List<@Nullable String> found = new ArrayList<>();
    trail(directory).follow(query, place, new AuditTrail.Reader() {
      @Override
      public void begin(String first) {
        places.add(first);
        begun.run();
      }

      @Override
      public boolean take(AuditTrail.Entry entry, String next) {
        found.add(entry.requestId());
        places.add(next);
        return found.size() < enough;
      }

      @Override
      public boolean wantsMore() {
        return true;
      }
    });
    return found;
  }

  @Test
  @DisplayName("All events of all days are read, oldest first; a missing log is empty")
  void all() {
    assertThat(read(ALL)).isEmpty();
    acquired("r1", DAY_1);
    acquired("r2", DAY_2);
    acquired("r3", DAY_2);
    assertThat(read(ALL)).containsExactly("r1", "r2", "r3");
    assertThat(newest(2)).containsExactly("r2", "r3");
    assertThat(newest(4)).containsExactly("r1", "r2", "r3");
  }

  @Test
  @DisplayName("LK-32 events can be queried by time, lock, request and event, and by combinations")
  void queries() {
    acquired("r1", DAY_1);
    acquired("r2", DAY_2);
    blocked("r1", DAY_2);

    assertThat(read(new AuditTrail.Query(DAY_2, null, null, null, null))).containsExactly("r2", "r1");
    assertThat(read(new AuditTrail.Query(DAY_2.minusNanos(1), null, null, null, null))).containsExactly("r2", "r1");
    assertThat(read(new AuditTrail.Query(DAY_2.plusNanos(1), null, null, null, null))).isEmpty();
    assertThat(read(new AuditTrail.Query(null, null, null, null, DAY_1))).containsExactly("r1");
    assertThat(read(new AuditTrail.Query(null, null, null, null, DAY_1.minusNanos(1)))).isEmpty();
    assertThat(read(new AuditTrail.Query(null, "other", null, null, null))).containsExactly("r1");
    assertThat(read(new AuditTrail.Query(null, null, "r1", null, null))).hasSize(2);
    assertThat(read(new AuditTrail.Query(null, null, null, "lock_acquired", null))).containsExactly("r1", "r2");
    assertThat(read(new AuditTrail.Query(DAY_2, "other", "r1", "lock_blocked", DAY_2))).containsExactly("r1");
    assertThat(read(new AuditTrail.Query(DAY_2, "other", "r2", null, null))).isEmpty();
  }

  @Test
  @DisplayName("LK-32 a follower sees only new events, or all since a given time")
  void follows() {
    acquired("old", DAY_1);
    assertThat(follow(ALL, null, 2, () -> {
      acquired("r1", DAY_1);
      acquired("r2", DAY_2);
    })).containsExactly("r1", "r2");
    assertThat(follow(FROM_THE_START, null, 3, () -> {})).containsExactly("old", "r1", "r2");
    assertThat(follow(new AuditTrail.Query(null, "other", null, null, null), null, 1, () -> {
      acquired("r3", DAY_2);
      blocked("r4", DAY_2);
    })).containsExactly("r4");
  }

  @Test
  @DisplayName("LK-32 a resumed follower gets the missed events, each once")
  void comesBack() {
    acquired("r1", DAY_1);
    assertThat(follow(FROM_THE_START, null, 1, () -> {})).containsExactly("r1");
    acquired("r2", DAY_1);
    acquired("r3", DAY_2);
    assertThat(follow(ALL, places.getLast(), 2, () -> {})).containsExactly("r2", "r3");
    acquired("r4", DAY_2);
    assertThat(follow(ALL, places.getLast(), 1, () -> {})).containsExactly("r4");
    assertThat(follow(FROM_THE_START, "no place", 2, () -> {})).containsExactly("r1", "r2");
  }

  @Test
  @DisplayName("More events than fit in a page are all read, in order")
  void many() {
    for (int i = 0; i < 2345; i++) {
      blocked("r" + i, DAY_2);
    }
    assertThat(read(ALL)).hasSize(2345).startsWith("r0", "r1").endsWith("r2343", "r2344").doesNotHaveDuplicates();
    assertThat(newest(1)).containsExactly("r2344");
    assertThat(follow(FROM_THE_START, null, 2345, () -> {})).isEqualTo(read(ALL));
  }
}
