package fleet.tower.audit.jsonl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.audit.AuditTrail;
import fleet.tower.platform.time.ManualTime;

class JsonlAuditTrailTest {
  private static final Instant DAY_1 = Instant.parse("2026-01-01T23:59:00Z");
  private static final Instant DAY_2 = Instant.parse("2026-01-02T00:01:00Z");
  private static final AuditTrail.Query ALL = new AuditTrail.Query(null, null, null, null, null);
  private static final AuditTrail.Query FROM_THE_START = new AuditTrail.Query(Instant.EPOCH, null, null, null, null);

  private final Path directory;
  private final ManualTime time = new ManualTime();
  private final AuditFiles files;
  private final AuditTrail trail;
  private final List<String> warnings = new ArrayList<>();
  private final List<String> places = new ArrayList<>();

  JsonlAuditTrailTest(@TempDir Path temp) {
    directory = temp.resolve("audit");
    files = new AuditFiles(directory, time, warnings::add);
    trail = new JsonlAuditTrail(new DayFiles(directory), () -> () -> time.pause(Duration.ofMillis(100)),
        warnings::add);
  }

  private Path day1() {
    return directory.resolve("audit-2026-01-01.jsonl");
  }

  private void write(String requestId, Instant at) {
    files.log().write(List.of(Events.acquired(requestId, at)));
  }

  private void append(Path file, String text) {
    try {
      Files.writeString(file, text, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private List<@Nullable String> read(AuditTrail.Query query) {
    List<@Nullable String> found = new ArrayList<>();
    trail.read(query, entry -> found.add(entry.requestId()));
    return found;
  }

  /** Follows for a second; events during that time are scheduled before. */
  private final class Collector implements AuditTrail.Reader {
    private final List<@Nullable String> taken = new ArrayList<>();
    private final Instant end = time.now().plusSeconds(1);
    private final int enough;

    Collector(int enough) {
      this.enough = enough;
    }

    @Override
    public void begin(String place) {
      places.add(place);
    }

    @Override
    public boolean take(AuditTrail.Entry entry, String place) {
      taken.add(entry.requestId());
      places.add(place);
      return taken.size() < enough;
    }

    @Override
    public boolean wantsMore() {
      return time.now().isBefore(end);
    }
  }

  private List<@Nullable String> follow(AuditTrail.Query query) {
    return follow(query, null);
  }

  private List<@Nullable String> follow(AuditTrail.Query query, @Nullable String place) {
    Collector collector = new Collector(Integer.MAX_VALUE);
    trail.follow(query, place, collector);
    return collector.taken;
  }

  private void after(int millis, Runnable work) {
    time.after(Duration.ofMillis(millis), work);
  }

  @Test
  @DisplayName("All events of all days are read, oldest first; a missing log is empty")
  void all() {
    assertThat(read(ALL)).isEmpty();
    write("r2", DAY_2);
    write("r1", DAY_1);
    assertThat(read(ALL)).containsExactly("r1", "r2");
  }

  @Test
  @DisplayName("Events can be queried by time, lock, request and event, and by combinations")
  void queries() {
    write("r1", DAY_1);
    write("r2", DAY_2);
    files.log().append(Events.blocked("r1", DAY_2));

    assertThat(read(new AuditTrail.Query(DAY_2, null, null, null, null))).containsExactly("r2", "r1");
    assertThat(read(new AuditTrail.Query(DAY_2.plusSeconds(1), null, null, null, null))).isEmpty();
    assertThat(read(new AuditTrail.Query(DAY_1, null, null, null, null))).hasSize(3);
    assertThat(read(new AuditTrail.Query(null, "other", null, null, null))).containsExactly("r1");
    assertThat(read(new AuditTrail.Query(null, null, "r1", null, null))).hasSize(2);
    assertThat(read(new AuditTrail.Query(null, null, null, "lock_acquired", null))).containsExactly("r1", "r2");
    assertThat(read(new AuditTrail.Query(DAY_2, "other", "r1", "lock_blocked", null))).containsExactly("r1");
    assertThat(read(new AuditTrail.Query(DAY_2, "other", "r2", null, null))).isEmpty();
  }

  @Test
  @DisplayName("LK-32 LK-B18 torn, blank, binary and incomplete lines and other files are skipped, reported once "
      + "per file; a long line is read completely")
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
    assertThat(follow(FROM_THE_START)).containsExactly("r1", "long", "r2");
    assertThat(warnings).containsExactly(day1() + " has a line that is not an event; it is skipped: torn");
  }

  @Test
  @DisplayName("An unreadable file is an error, not an empty log")
  void unreadable() throws Exception {
    Files.createDirectories(day1());
    assertThatThrownBy(() -> read(ALL)).isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("the audit log in " + directory + " cannot be read: ")
        .hasMessageContaining("EISDIR: is a directory");
  }

  @Test
  @DisplayName("A follower sees only new events, or all since a given time")
  void followsNew() {
    write("old", DAY_1);
    after(150, () -> write("r1", DAY_1));
    after(450, () -> files.log().append(Events.blocked("r2", DAY_1)));
    assertThat(follow(ALL)).containsExactly("r1", "r2");
    assertThat(follow(FROM_THE_START)).containsExactly("old", "r1", "r2");
    after(150, () -> files.log().append(Events.blocked("r3", DAY_1)));
    assertThat(follow(new AuditTrail.Query(null, "other", null, null, null))).containsExactly("r3");
  }

  @Test
  @DisplayName("LK-32 a follower sees the log created, a new day at midnight, and a late line in yesterday's file")
  void followsOverMidnight() {
    after(50, () -> write("first", DAY_1));
    after(250, () -> write("today", DAY_2));
    after(450, () -> write("late", DAY_1));
    after(650, () -> write("last", DAY_2));
    assertThat(follow(ALL)).containsExactly("first", "today", "late", "last");
  }

  @Test
  @DisplayName("LK-32 a follower survives a file that is truncated, or removed and created again")
  void followsTruncated() throws Exception {
    write("r1", DAY_1);
    write("r2", DAY_1);
    after(150, () -> truncate());
    after(250, () -> write("r3", DAY_1));
    after(350, () -> delete());
    after(550, () -> write("r4", DAY_1));
    assertThat(follow(ALL)).containsExactly("r3", "r4");
  }

  @Test
  @DisplayName("LK-B18 a file that is truncated and has grown again between two reads is read from its start")
  void followsCutOffAndGrown() {
    write("r1", DAY_1);
    after(150, () -> {
      truncate();
      write("r2", DAY_1);
      write("r3", DAY_1);
    });
    assertThat(follow(ALL)).containsExactly("r2", "r3");
  }

  @Test
  @DisplayName("LK-B18 the last lines of a file that is moved away are read, and no line of a copy is repeated")
  void followsReplaced() {
    write("r1", DAY_1);
    after(150, () -> {
      write("r2", DAY_1);
      move(day1(), directory.resolve("rotated"));
      write("r3", DAY_1);
    });
    after(350, () -> {
      copy(day1(), directory.resolve("copy"));
      move(directory.resolve("copy"), day1());
      write("r4", DAY_1);
    });
    assertThat(follow(ALL)).containsExactly("r2", "r3", "r4");
  }

  @Test
  @DisplayName("A resumed follower gets the missed events of both days around midnight, each once")
  void comesBack() {
    write("r1", DAY_1);
    assertThat(follow(FROM_THE_START)).containsExactly("r1");
    long first = size(day1());
    assertThat(places).containsExactly("-", "2026-01-01:" + first);
    write("r2", DAY_1);
    write("r3", DAY_2);
    assertThat(follow(ALL, "2026-01-01:" + first)).containsExactly("r2", "r3");
    String place = places.getLast();
    assertThat(place).isEqualTo("2026-01-01:" + size(day1()) + ",2026-01-02:" + first);

    write("late", DAY_1);
    write("r4", DAY_2);
    assertThat(follow(ALL, place)).containsExactly("late", "r4");
    assertThat(follow(ALL, places.getLast())).isEmpty();
    assertThat(follow(ALL, "-")).containsExactly("r1", "r2", "late", "r3", "r4");
    assertThat(follow(ALL, "2026-01-02:0")).containsExactly("r3", "r4");
  }

  @ParameterizedTest
  @ValueSource(strings = {"2026-01-01:7", "2026-01-01:99999999", "2026-01-01:999999999999999999"})
  @DisplayName("A position where no line ends belongs to another file, which is read from its start")
  void positionOfAnotherFile(String place) {
    write("r1", DAY_1);
    assertThat(follow(ALL, place)).containsExactly("r1");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "yesterday", "2026-01-01", "2026-01-01:-1", "../../x:1",
      "2026-01-01:1,2026-01-02:1,2026-01-03:1"})
  @DisplayName("An invalid position is ignored")
  void invalidPosition(String place) {
    write("r1", DAY_1);
    assertThat(follow(ALL, place)).isEmpty();
    assertThat(follow(FROM_THE_START, place)).containsExactly("r1");
  }

  private void truncate() {
    try {
      Files.writeString(day1(), "");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void move(Path from, Path to) {
    try {
      Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void copy(Path from, Path to) {
    try {
      Files.copy(from, to);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static long size(Path file) {
    try {
      return Files.size(file);
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
  @DisplayName("LK-B18 an incomplete line is read once it is complete, even one that was incomplete at the start")
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
  @DisplayName("A reader that has enough receives no more entries, not even of the next file")
  void enough() {
    write("r1", DAY_1);
    write("r2", DAY_1);
    write("r3", DAY_2);
    Collector collector = new Collector(1);
    trail.follow(FROM_THE_START, null, collector);
    assertThat(collector.taken).containsExactly("r1");
    assertThat(time.now()).isEqualTo(new ManualTime().now());
  }
}
