package fleet.tower.audit.jsonl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.audit.AuditEntry;
import fleet.tower.audit.AuditQuery;
import fleet.tower.audit.AuditTrail;
import fleet.tower.time.ManualTime;

class JsonlAuditTrailTest {
  private static final Instant DAY_1 = Instant.parse("2026-01-01T23:59:00Z");
  private static final Instant DAY_2 = Instant.parse("2026-01-02T00:01:00Z");
  private static final AuditQuery ALL = new AuditQuery(null, null, null, null);
  private static final AuditQuery FROM_THE_START = new AuditQuery(Instant.EPOCH, null, null, null);

  private final Path directory;
  private final ManualTime time = new ManualTime();
  private final AuditFiles files;

  JsonlAuditTrailTest(@TempDir Path temp) {
    directory = temp.resolve("audit");
    files = new AuditFiles(directory, time, warning -> {
      throw new IllegalStateException(warning);
    });
  }

  private Path day1() {
    return directory.resolve("audit-2026-01-01.jsonl");
  }

  private void write(String requestId, Instant at) {
    files.log().append(Events.acquired(requestId, at));
  }

  private void append(Path file, String text) {
    try {
      Files.writeString(file, text, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private List<@Nullable String> read(AuditQuery query) {
    List<@Nullable String> found = new ArrayList<>();
    files.trail().read(query, entry -> found.add(entry.requestId()));
    return found;
  }

  /** Follows for a second; what happens meanwhile is set as timers before. */
  private final class Collector implements AuditTrail.Reader {
    private final List<@Nullable String> taken = new ArrayList<>();
    private final Instant end = time.now().plusSeconds(1);
    private final int enough;

    Collector(int enough) {
      this.enough = enough;
    }

    @Override
    public boolean take(AuditEntry entry) {
      taken.add(entry.requestId());
      return taken.size() < enough;
    }

    @Override
    public boolean wantsMore() {
      return time.now().isBefore(end);
    }
  }

  private List<@Nullable String> follow(AuditQuery query) {
    Collector collector = new Collector(Integer.MAX_VALUE);
    files.trail().follow(query, collector);
    return collector.taken;
  }

  private void after(int millis, Runnable work) {
    time.after(Duration.ofMillis(millis), work);
  }

  @Test
  @DisplayName("All events oldest first over the days, and nothing where there is no log")
  void all() {
    assertThat(read(ALL)).isEmpty();
    write("r2", DAY_2);
    write("r1", DAY_1);
    assertThat(read(ALL)).containsExactly("r1", "r2");
  }

  @Test
  @DisplayName("One can ask by time, lock, request and event, and by several at once")
  void queries() {
    write("r1", DAY_1);
    write("r2", DAY_2);
    files.log().append(Events.blocked("r1", DAY_2));

    assertThat(read(new AuditQuery(DAY_2, null, null, null))).containsExactly("r2", "r1");
    assertThat(read(new AuditQuery(DAY_2.plusSeconds(1), null, null, null))).isEmpty();
    assertThat(read(new AuditQuery(DAY_1, null, null, null))).hasSize(3);
    assertThat(read(new AuditQuery(null, "other", null, null))).containsExactly("r1");
    assertThat(read(new AuditQuery(null, null, "r1", null))).hasSize(2);
    assertThat(read(new AuditQuery(null, null, null, "lock_acquired"))).containsExactly("r1", "r2");
    assertThat(read(new AuditQuery(DAY_2, "other", "r1", "lock_blocked"))).containsExactly("r1");
    assertThat(read(new AuditQuery(DAY_2, "other", "r2", null))).isEmpty();
  }

  @Test
  @DisplayName("Torn, blank, binary and half lines and other files are skipped; a long line is read whole")
  void skipsWhatIsNoEvent() throws Exception {
    write("r1", DAY_1);
    append(day1(), "torn\n\n\u0000\u0001\n[1]\n");
    append(day1(), AuditLines.of(Events.acquired("long", DAY_1)).replace("\"ttl_seconds\"",
        "\"x\":\"" + "y".repeat(200_000) + "\",\"ttl_seconds\"") + "\n");
    write("r2", DAY_1);
    append(day1(), AuditLines.of(Events.acquired("half", DAY_1)));
    Files.writeString(directory.resolve("audit-2026-1-1.jsonl"), AuditLines.of(Events.acquired("no", DAY_1)) + "\n");
    Files.writeString(directory.resolve("audit-2026-01-01.jsonl.gz"), "no\n");

    assertThat(read(ALL)).containsExactly("r1", "long", "r2");
  }

  @Test
  @DisplayName("A file that is there and cannot be read is an error, not an empty log")
  void unreadable() throws Exception {
    Files.createDirectories(day1());
    assertThatThrownBy(() -> read(ALL)).isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("the audit log in " + directory + " cannot be read: ")
        .hasMessageContaining("EISDIR: is a directory");
  }

  @Test
  @DisplayName("A follower sees what comes and nothing old, and with a time what came since")
  void followsNew() {
    write("old", DAY_1);
    after(150, () -> write("r1", DAY_1));
    after(450, () -> files.log().append(Events.blocked("r2", DAY_1)));
    assertThat(follow(ALL)).containsExactly("r1", "r2");
    assertThat(follow(FROM_THE_START)).containsExactly("old", "r1", "r2");
    after(150, () -> files.log().append(Events.blocked("r3", DAY_1)));
    assertThat(follow(new AuditQuery(null, "other", null, null))).containsExactly("r3");
  }

  @Test
  @DisplayName("A follower sees the log made, a new day begin at midnight, and a late line in yesterday's file")
  void followsOverMidnight() {
    after(50, () -> write("first", DAY_1));
    after(250, () -> write("today", DAY_2));
    after(450, () -> write("late", DAY_1));
    after(650, () -> write("last", DAY_2));
    assertThat(follow(ALL)).containsExactly("first", "today", "late", "last");
  }

  @Test
  @DisplayName("A follower survives that a file is cut off, or removed and made again")
  void followsTruncated() throws Exception {
    write("r1", DAY_1);
    write("r2", DAY_1);
    after(150, () -> truncate());
    after(250, () -> write("r3", DAY_1));
    after(350, () -> delete());
    after(550, () -> write("r4", DAY_1));
    assertThat(follow(ALL)).containsExactly("r3", "r4");
  }

  private void truncate() {
    try {
      Files.writeString(day1(), "");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void delete() {
    try {
      Files.delete(day1());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  @DisplayName("A half-written line waits for its end, also one that was half there at the start")
  void followsHalfLines() {
    String line = AuditLines.of(Events.acquired("r1", DAY_1));
    String second = AuditLines.of(Events.acquired("r2", DAY_1));
    write("old", DAY_1);
    append(day1(), line.substring(0, 20));
    after(250, () -> append(day1(), line.substring(20)));
    after(350, () -> append(day1(), "\n" + second.substring(0, 30)));
    after(650, () -> append(day1(), second.substring(30) + "\n"));
    assertThat(follow(ALL)).containsExactly("r1", "r2");
  }

  @Test
  @DisplayName("A reader that has enough is given no more, not even from the next file")
  void enough() {
    write("r1", DAY_1);
    write("r2", DAY_1);
    write("r3", DAY_2);
    Collector collector = new Collector(1);
    files.trail().follow(FROM_THE_START, collector);
    assertThat(collector.taken).containsExactly("r1");
    assertThat(time.now()).isEqualTo(new ManualTime().now());
  }
}
