package fleet.tower.audit.jsonl;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.audit.AuditLog;
import fleet.tower.platform.disk.Journal;
import fleet.tower.platform.time.ManualTime;

class RecordedLinesTest {
  private static final Instant EARLIER = Instant.parse("2026-01-31T12:00:00Z");
  private static final Instant NOON = Instant.parse("2026-02-01T12:00:00Z");

  private final List<String> records = new ArrayList<>();
  private final List<String> warnings = new ArrayList<>();
  private final Path directory;
  private final AuditFiles files;

  RecordedLinesTest(@TempDir Path temp) {
    directory = temp.resolve("logs/audit");
    files = new AuditFiles(directory, new ManualTime(), warnings::add);
  }

  private Path day(String day) {
    return directory.resolve("audit-" + day + ".jsonl");
  }

  private AuditLog log() {
    return files.log(record -> {
      records.add(record);
      return () -> {};
    });
  }

  /** Writes events of two days; some of them are the same. */
  private void write() {
    AuditLog log = log();
    assertThat(log.write(List.of(Events.acquired("r1", EARLIER)))).isTrue();
    assertThat(log.write(List.of(Events.acquired("r2", NOON), Events.blocked("r3", NOON)))).isTrue();
    assertThat(log.write(List.of(Events.blocked("r4", NOON)))).isTrue();
    assertThat(log.write(List.of(Events.acquired("r2", NOON)))).isTrue();
  }

  @Test
  @DisplayName("An event that must be durable is recorded with those of its write; a refusal alone is not")
  void records() {
    write();

    assertThat(records).hasSize(3);
    assertThat(records.getLast())
        .isEqualTo(RecordedLines.record(LocalDate.of(2026, 2, 1), AuditLines.of(Events.acquired("r2", NOON)) + "\n"));
    assertThat(log().write(List.of(Events.blocked("r5", NOON), Events.acquired("r6", NOON)))).isTrue();
    assertThat(records).hasSize(4);
  }

  @Test
  @DisplayName("After a boot without losses, the files stay as they are")
  void nothingLost() throws IOException {
    write();
    String before = Files.readString(day("2026-01-31")) + Files.readString(day("2026-02-01"));

    files.recorded().restore(records);
    files.recorded().restore(records);

    assertThat(Files.readString(day("2026-01-31")) + Files.readString(day("2026-02-01"))).isEqualTo(before);
  }

  @Test
  @DisplayName("Lost lines are appended once, after a torn line; so are lines that occur twice")
  void lost() throws IOException {
    write();
    List<String> whole = Files.readAllLines(day("2026-02-01"));
    Files.writeString(day("2026-02-01"), whole.getFirst() + "\n" + whole.get(1).substring(0, 20));

    files.recorded().restore(records);
    files.recorded().restore(records);

    assertThat(Files.readAllLines(day("2026-02-01"))).containsExactly(whole.getFirst(), whole.get(1).substring(0, 20),
        whole.get(1), whole.getFirst());
  }

  @Test
  @DisplayName("The file of the last day is created again, with its mode; that of an earlier day was deleted")
  void missing() throws IOException {
    write();
    Files.delete(day("2026-01-31"));
    Files.delete(day("2026-02-01"));

    files.recorded().restore(records);

    assertThat(directory).isDirectoryContaining(day("2026-02-01")::equals);
    assertThat(day("2026-01-31")).doesNotExist();
    assertThat(Files.readAllLines(day("2026-02-01"))).hasSize(3);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(day("2026-02-01")))).isEqualTo("rw-------");
  }

  @Test
  @DisplayName("Without a journal, or if its sync fails, the event is still written")
  void withoutJournal() throws IOException {
    Journal.Entry failing = () -> {
      throw new IOException("disk broken");
    };
    assertThat(files.log(_ -> failing).write(List.of(Events.acquired("r1", NOON)))).isTrue();
    assertThat(files.log(_ -> null).write(List.of(Events.acquired("r2", NOON)))).isTrue();

    assertThat(Files.readAllLines(day("2026-02-01"))).hasSize(2);
    assertThat(warnings).isEmpty();
  }
}
