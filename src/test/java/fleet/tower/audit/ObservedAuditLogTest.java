package fleet.tower.audit;

import static fleet.tower.lease.Actors.ORIGIN;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.audit.ObservedAuditLog.State;
import fleet.tower.audit.jsonl.AuditFiles;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.time.ManualTime;

@DisplayName("TF-A25 An audit log that cannot be written counts the lost events and records their number")
class ObservedAuditLogTest {
  private final ManualTime time = new ManualTime();
  private final List<String> heard = new ArrayList<>();
  private final List<String> warnings = new ArrayList<>();
  private final Path day;
  private final ObservedAuditLog log;

  ObservedAuditLogTest(@TempDir Path directory) {
    day = directory.resolve("audit-2026-01-01.jsonl");
    log = new ObservedAuditLog(new AuditFiles(directory, time, warnings::add).log(), new AuditListener() {
      @Override
      public void written(AuditEvent event) {
        heard.add("written " + EventNames.of(event));
      }

      @Override
      public void lost(AuditEvent event) {
        heard.add("lost " + EventNames.of(event));
      }
    }, time);
  }

  private boolean write(String requestId) {
    return log.write(List.of(new AuditEvent.RunQueued(new RequestId(requestId), time.now(), "deploy", null, ORIGIN)));
  }

  @Test
  @DisplayName("A lost event is counted and reported; the next written event is preceded by the number of lost ones")
  void lost() throws IOException {
    assertThat(write("r1")).isTrue();
    Path aside = Files.move(day, day.resolveSibling("aside"));
    Files.createDirectory(day);
    assertThat(write("r2")).isFalse();
    assertThat(write("r3")).isFalse();
    assertThat(log.examine()).isEqualTo(new State(2, true));
    assertThat(log.examine()).as("reading loses nothing").isEqualTo(new State(2, true));
    assertThat(warnings).as("once for each").hasSize(2);
    Files.delete(day);
    Files.move(aside, day);
    assertThat(write("r4")).isTrue();

    assertThat(log.examine()).isEqualTo(new State(2, false));
    assertThat(heard).containsExactly("written run_queued", "lost run_queued", "lost run_queued",
        "written audit_events_lost", "written run_queued");
    List<String> lines = Files.readAllLines(day);
    assertThat(lines).hasSize(3);
    assertThat(lines.get(0)).contains("\"request_id\":\"r1\"");
    assertThat(lines.get(1)).isEqualTo(
        "{\"event\":\"audit_events_lost\",\"timestamp\":\"2026-01-01T00:00:00Z\",\"lost\":2}");
    assertThat(lines.get(2)).contains("\"request_id\":\"r4\"");
  }

  @Test
  @DisplayName("A health check detects that writing works again, even without a new event")
  void examined() throws IOException {
    Files.createDirectory(day);
    write("r1");
    assertThat(log.examine().isFailing()).isTrue();
    Files.delete(day);

    assertThat(log.examine()).isEqualTo(new State(1, false));
    assertThat(Files.readString(day)).contains("audit_events_lost").contains("\"lost\":1");
    assertThat(log.examine()).isEqualTo(new State(1, false));
    assertThat(Files.readAllLines(day)).hasSize(1);
  }
}
