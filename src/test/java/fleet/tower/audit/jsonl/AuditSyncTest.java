package fleet.tower.audit.jsonl;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Await;
import fleet.tower.harness.JavaProcess;
import fleet.tower.harness.Strace;
import fleet.tower.platform.time.ManualTime;

@DisplayName("The files of the audit log are on disk before the journal no longer has their lines")
class AuditSyncTest {
  private static final Instant NOON = Instant.parse("2026-02-01T12:00:00Z");

  @Test
  @DisplayName("A day's file is synced when it is left, and those of the last two days before the journal is replaced")
  void synced(@TempDir Path directory) throws IOException {
    Path audit = directory.resolve("audit");
    Path output = directory.resolve("output");
    Strace strace = new Strace(directory.resolve("trace"));
    List<String> main = JavaProcess.command(Writer.class, audit.toString());

    assertThat(Await.exitOf(new ProcessBuilder(strace.of("fsync,fdatasync,write", main)).redirectErrorStream(true)
        .redirectOutput(output.toFile()).start())).as(Files.readString(output)).isZero();

    List<String> calls = strace.calls();
    Path first = audit.resolve("audit-2026-01-31.jsonl");
    Path second = audit.resolve("audit-2026-02-01.jsonl");
    int left = Strace.first(calls, 0, call -> call.contains("write(") && call.contains("\"written"));
    assertThat(calls.subList(0, left)).anyMatch(call -> Strace.isSync(call, first))
        .noneMatch(call -> Strace.isSync(call, second));
    for (Path synced : List.of(first, second, audit)) {
      Strace.first(calls, left, call -> Strace.isSync(call, synced));
    }
  }

  /** Writes events of two days that a journal has recorded, says so, and then replaces the journal. */
  static final class Writer {
    private Writer() {}

    public static void main(String[] arguments) throws IOException {
      Path directory = Path.of(arguments[0]);
      AuditFiles files = new AuditFiles(directory, new ManualTime(), System.err::println);
      var log = files.log(_ -> () -> {});
      log.write(List.of(Events.acquired("r1", NOON.minusSeconds(86_400))));
      log.write(List.of(Events.acquired("r2", NOON)));
      System.out.println("written");
      new RecordedLines(new DayFiles(directory)).sync();
    }
  }
}
