package fleet.tower.audit.jsonl;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.TimeZone;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.audit.AuditLog;
import fleet.tower.audit.AuditTrail;
import fleet.tower.harness.Await;
import fleet.tower.platform.time.ManualTime;

class JsonlAuditLogTest {
  private final Path directory;
  private final List<String> warnings = new ArrayList<>();
  private final AuditLog log;

  JsonlAuditLogTest(@TempDir Path temp) {
    directory = temp.resolve("logs/audit");
    log = new AuditFiles(directory, new ManualTime(), warnings::add).log();
  }

  private List<String> lines(String day) throws IOException {
    return Files.readAllLines(directory.resolve("audit-" + day + ".jsonl"));
  }

  @Test
  @DisplayName("Each UTC day is a file that only its owner can read, in a directory of the same mode")
  void days() throws Exception {
    log.write(List.of(Events.acquired("r1", Instant.parse("2026-01-31T23:59:59.999Z"))));
    log.write(List.of(Events.acquired("r2", Instant.parse("2026-02-01T00:00:00Z"))));
    log.write(List.of(Events.blocked("r3", Instant.parse("2026-01-31T00:00:00Z"))));

    assertThat(lines("2026-01-31")).hasSize(2);
    assertThat(lines("2026-02-01")).containsExactly(
        AuditLines.of(Events.acquired("r2", Instant.parse("2026-02-01T00:00:00Z"))));
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory))).isEqualTo("rwx------");
    assertThat(
        PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve("audit-2026-02-01.jsonl"))))
        .isEqualTo("rw-------");
    assertThat(warnings).isEmpty();
  }

  @ParameterizedTest
  @DisplayName("The day is that of UTC in every time zone")
  @ValueSource(strings = {"Pacific/Kiritimati", "Pacific/Pago_Pago"})
  void zones(String zone) throws Exception {
    TimeZone before = TimeZone.getDefault();
    TimeZone.setDefault(TimeZone.getTimeZone(zone));
    try {
      log.write(List.of(Events.acquired("r1", Instant.parse("2026-01-31T00:00:00Z"))));
      log.write(List.of(Events.acquired("r2", Instant.parse("2026-01-31T23:59:59Z"))));
    } finally {
      TimeZone.setDefault(before);
    }
    assertThat(lines("2026-01-31")).hasSize(2);
  }

  @Test
  @DisplayName("A line torn by a crash is ended before the next one")
  void tornLine() throws Exception {
    Files.createDirectories(directory);
    Files.writeString(directory.resolve("audit-2025-12-18.jsonl"), "{\"event\":\"lock_acq");

    log.write(List.of(Events.acquired("r1", Events.AT)));
    log.write(List.of(Events.acquired("r2", Events.AT)));

    assertThat(lines("2025-12-18")).containsExactly("{\"event\":\"lock_acq",
        AuditLines.of(Events.acquired("r1", Events.AT)), AuditLines.of(Events.acquired("r2", Events.AT)));
  }

  private Path file() {
    return directory.resolve("audit-2025-12-18.jsonl");
  }

  private static String line(String requestId) {
    return AuditLines.of(Events.blocked(requestId, Events.AT));
  }

  private void write(String requestId) {
    assertThat(log.write(List.of(Events.blocked(requestId, Events.AT)))).isTrue();
  }

  @Test
  @DisplayName("A line torn by another process is ended even if the file was already open; a whole line is followed "
      + "directly")
  void tornByAnother() throws Exception {
    write("r1");
    Files.writeString(file(), line("other") + "\n", StandardOpenOption.APPEND);
    write("r2");
    Files.writeString(file(), "{\"event\":\"lock_acq", StandardOpenOption.APPEND);
    write("r3");
    write("r4");

    assertThat(Files.readString(file())).isEqualTo(line("r1") + "\n" + line("other") + "\n" + line("r2") + "\n"
        + "{\"event\":\"lock_acq\n" + line("r3") + "\n" + line("r4") + "\n");
  }

  @Test
  @DisplayName("Nothing is written to a file that was moved away or deleted; writing continues in a file that was "
      + "emptied")
  void movedAway() throws Exception {
    Path rotated = directory.resolve("audit-2025-12-18.jsonl.1");
    write("r1");
    Files.move(file(), rotated);
    write("r2");
    Files.delete(file());
    write("r3");
    Files.newByteChannel(file(), StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING).close();
    write("r4");

    assertThat(rotated).hasContent(line("r1") + "\n");
    assertThat(Files.readString(file())).isEqualTo(line("r4") + "\n");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file()))).isEqualTo("rw-------");
  }

  @Test
  @DisplayName("If another process has created the file again after it was moved away, that one gets the events")
  void createdAgain() throws Exception {
    write("r1");
    Files.move(file(), directory.resolve("audit-2025-12-18.jsonl.1"));
    Files.writeString(file(), line("r2") + "\n");
    write("r3");

    assertThat(Files.readAllLines(file())).containsExactly(line("r2"), line("r3"));
  }

  @Test
  @DisplayName("No event is lost or torn while the file is moved away under writers of durable events")
  void movedUnderWriters() throws Exception {
    int each = 60;
    int maxMoves = 5_000;
    List<Thread> threads = List.of("t1", "t2", "t3").stream().map(who -> Thread.ofVirtual().start(() -> {
      for (int i = 0; i < each; i++) {
        assertThat(log.write(List.of(Events.acquired(who + "-" + i, Events.AT)))).isTrue();
      }
    })).toList();
    int moves = 0;
    while (moves < maxMoves && threads.stream().anyMatch(Thread::isAlive)) {
      if (Files.exists(file())) {
        Files.move(file(), directory.resolve("moved-" + moves++));
      }
    }
    for (Thread thread : threads) {
      thread.join();
    }

    List<String> lines = new ArrayList<>();
    try (Stream<Path> files = Files.list(directory)) {
      for (Path moved : files.toList()) {
        lines.addAll(Files.readAllLines(moved));
      }
    }
    assertThat(lines).hasSize(3 * each).doesNotHaveDuplicates()
        .allSatisfy(line -> assertThat(AuditLines.parse(line)).isPresent());
    assertThat(warnings).isEmpty();
  }

  @Test
  @DisplayName("An event truncated by a full disk is reported, and its torn line is ended before the next event")
  void fullDisk() throws Exception {
    Process writer = new ProcessBuilder("sh", "-c", "ulimit -S -f 1; exec \"$@\"", "sh",
        ProcessHandle.current().info().command().orElseThrow(), "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData", "-cp",
        System.getProperty("java.class.path"), AuditOnFullDisk.class.getName(), directory.toString()).inheritIO()
        .start();
    assertThat(Await.exitOf(writer)).isZero();

    List<String> lines = lines("2025-12-18");
    assertThat(lines.getLast()).isEqualTo(line("after"));
    assertThat(AuditLines.parse(lines.get(lines.size() - 2))).isEmpty();
    assertThat(lines.subList(0, lines.size() - 2)).isNotEmpty()
        .allSatisfy(line -> assertThat(AuditLines.parse(line)).isPresent());
  }

  @Test
  @DisplayName("TF-A25 an event that cannot be written is reported with its line, without an exception")
  void unwritable() throws Exception {
    Files.createDirectories(directory.getParent());
    Files.writeString(directory, "a file");

    log.write(List.of(Events.acquired("r1", Events.AT)));

    assertThat(warnings).containsExactly("audit event lost, " + directory + "/audit-2025-12-18.jsonl cannot be written"
        + " (ENOTDIR: not a directory): " + AuditLines.of(Events.acquired("r1", Events.AT)));
    assertThat(directory).hasContent("a file");
  }

  @Test
  @DisplayName("TF-A25 a directory in place of the day's file is reported too")
  void directoryInPlace() throws Exception {
    Files.createDirectories(directory.resolve("audit-2025-12-18.jsonl"));

    log.write(List.of(Events.acquired("r1", Events.AT)));

    assertThat(warnings).singleElement().asString().contains("cannot be written").contains("EISDIR: is a directory");
  }

  @Test
  @DisplayName("An interrupt loses no event, and its status is kept")
  void interrupted() throws Exception {
    Thread.currentThread().interrupt();

    log.write(List.of(Events.acquired("r1", Events.AT)));

    assertThat(Thread.interrupted()).isTrue();
    assertThat(warnings).isEmpty();
    assertThat(lines("2025-12-18")).hasSize(1);
  }

  @Test
  @DisplayName("Many threads and processes append complete lines without loss, each event directly followed by "
      + "its actor")
  void manyWriters() throws Exception {
    int each = 300;
    List<Process> processes = new ArrayList<>();
    for (String who : List.of("p1", "p2")) {
      processes
          .add(new ProcessBuilder(ProcessHandle.current().info().command().orElseThrow(), "-XX:TieredStopAtLevel=1",
              "-cp", System.getProperty("java.class.path"), AuditWriter.class.getName(), directory.toString(), who,
              Integer.toString(each)).inheritIO().start());
    }
    List<Thread> threads = List.of("t1", "t2").stream().map(who -> Thread.ofVirtual()
        .start(() -> AuditWriter.main(new String[]{directory.toString(), who, Integer.toString(each)}))).toList();
    for (Thread thread : threads) {
      thread.join();
    }
    for (Process process : processes) {
      assertThat(Await.exitOf(process)).isZero();
    }

    List<String> lines = lines("2025-12-18").stream().filter(line -> !line.isEmpty()).toList();
    assertThat(lines).hasSize(4 * each * 4).doesNotHaveDuplicates();
    for (int i = 0; i < lines.size(); i += 4) {
      String id = AuditLines.parse(lines.get(i)).orElseThrow().requestId();
      assertThat(lines.subList(i, i + 4)).extracting(line -> AuditLines.parse(line).orElseThrow())
          .allSatisfy(entry -> assertThat(entry.requestId()).isEqualTo(id)).extracting(AuditTrail.Entry::event)
          .containsExactly("lock_stolen", "lock_actor", "lock_acquired", "lock_actor");
      assertThat(lines.get(i + 1)).contains("\"of\":\"lock_stolen\"");
      assertThat(lines.get(i + 3)).contains("\"of\":\"lock_acquired\"");
    }
  }
}
