package fleet.tower.home;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Installation;
import fleet.tower.harness.Installation.Result;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.harness.Strace;
import fleet.tower.platform.disk.Journal;
import fleet.tower.service.config.TestService;

@DisplayName("Commands before and after a power cut that loses all but the journal")
class RunPowerCutTest {
  private static final List<String> LOST = List.of("state", "logs/audit", "logs/locks");

  private final Installation tower;
  private final Path earlier;
  private final Strace strace;

  RunPowerCutTest(@TempDir Path directory) throws IOException {
    tower = new Installation(directory.resolve("release"));
    earlier = directory.resolve("earlier");
    strace = new Strace(directory.resolve("trace"));
    TestService.declare(tower.home(), "count", """
        mode: mutate
        controls: { lock: count }
        steps:
          - { name: count, script: echo once >>"$TOWER_HOME/count" }
        """);
  }

  private Result run(String id) {
    return tower.tower("run", "count", "--request-id", id);
  }

  /** Copies what is on the disk by now. */
  private void save() throws IOException {
    for (String directory : LOST) {
      try (Stream<Path> files = Files.list(tower.home().resolve(directory))) {
        for (Path file : files.filter(Files::isRegularFile).toList()) {
          Files.copy(file, Files.createDirectories(earlier.resolve(directory)).resolve(file.getFileName()),
              StandardCopyOption.COPY_ATTRIBUTES);
        }
      }
    }
  }

  /** Loses everything since then, except the journal, which is another boot's. */
  private void cutPower() throws IOException {
    Path journal = tower.home().resolve("logs/locks").resolve(Journal.CURRENT);
    String records = Files.readString(journal);
    for (String directory : LOST) {
      try (Stream<Path> files = Files.list(tower.home().resolve(directory))) {
        for (Path file : files.filter(Files::isRegularFile).toList()) {
          Files.delete(file);
        }
      }
      try (Stream<Path> files = Files.list(earlier.resolve(directory))) {
        for (Path file : files.toList()) {
          Files.copy(file, tower.home().resolve(directory).resolve(file.getFileName()),
              StandardCopyOption.COPY_ATTRIBUTES);
        }
      }
    }
    Files.write(journal, records.substring(records.indexOf('\n', 1)).getBytes(StandardCharsets.UTF_8));
  }

  @Test
  @DisplayName("A run that was reported is known, is not repeated, and has its events once; the next one gets a higher "
      + "token")
  void powerCut() throws IOException {
    assertThat(run("r1").exit()).isZero();
    save();
    assertThat(run("r2").exit()).isZero();
    cutPower();

    assertThat(tower.tower("runs", "r2", "--json").out()).contains("\"status\":\"succeeded\"", "\"fencing_token\":2");
    assertThat(run("r2").exit()).isZero();
    assertThat(tower.home().resolve("count")).hasContent("once\nonce");
    assertThat(tower.tower("audit", "--request-id", "r2").out().lines()
        .filter(line -> line.startsWith("{\"event\":\"lock_acquired\"")))
        .hasSize(1);
    assertThat(run("r3").exit()).isZero();
    assertThat(tower.tower("runs", "r3", "--json").out()).contains("\"fencing_token\":3");
    assertThat(tower.tower("doctor").exit()).isZero();
  }

  /** The next boot finds another one's journal. */
  private void reboot() throws IOException {
    Path journal = locks().resolve(Journal.CURRENT);
    String records = Files.readString(journal);
    Files.writeString(journal, records.substring(records.indexOf('\n', 1)));
  }

  private Path locks() {
    return tower.home().resolve("logs/locks");
  }

  private Map<String, String> files() throws IOException {
    Map<String, String> files = new TreeMap<>();
    try (Stream<Path> all = Files.list(locks())) {
      for (Path file : all.filter(Files::isRegularFile).toList()) {
        files.put(file.getFileName().toString(), Files.readString(file));
      }
    }
    return files;
  }

  @Test
  @DisplayName("TF-11.3 commands that look show what will be put back, and write nothing; a lock that was removed stays "
      + "removed; a restored one is audited, and `why` says so")
  @ProofsProfile
  void looks() throws IOException {
    assertThat(tower.tower("lock", "removed", "--request-id", "r1").exit()).isZero();
    assertThat(tower.tower("lock", "lost", "--request-id", "r2").exit()).isZero();
    Files.delete(locks().resolve("removed.lock"));
    reboot();
    Files.delete(locks().resolve("lost.lock"));
    Files.delete(locks().resolve(".lost.1.granted"));
    Map<String, String> before = files();

    assertThat(tower.tower("check", "removed").out()).isEqualTo("free\n");
    assertThat(tower.tower("exists", "removed").exit()).isEqualTo(3);
    assertThat(tower.tower("check", "lost").out()).isEqualTo("active\n");
    assertThat(tower.tower("exists", "lost").exit()).isZero();
    assertThat(tower.tower("locks", "--names").out()).isEqualTo("lost\n");
    assertThat(tower.tower("locks", "lost", "--json").out()).contains("\"restored\":true");
    assertThat(tower.tower("why", "lost").out()).contains("restored: ",
        "tower audit --name lost --event lock_restored");
    assertThat(files()).isEqualTo(before);
    assertThat(tower.tower("audit", "--event", "lock_restored").out()).isEmpty();

    assertThat(tower.tower("lock", "lost", "--request-id", "r3").exit()).isEqualTo(2);
    assertThat(tower.tower("lock", "removed", "--request-id", "r3").exit()).isZero();
    assertThat(tower.tower("audit", "--event", "lock_restored").out()).hasLineCount(1)
        .contains("\"lock_name\":\"lost\"", "\"request_id\":\"r2\"");
    assertThat(tower.tower("why", "lost").out()).contains("restored: ");
    assertThat(tower.tower("unlock", "lost", "--request-id", "r2").exit()).isZero();
    assertThat(files().keySet()).noneMatch(file -> file.startsWith(".lost.1"));
  }

  @Test
  @DisplayName("A run waits for the disk twice: at its start and at its end")
  void syncs() {
    List<String> traced = strace.of("fsync,fdatasync", List.of(tower.launcher().toString(), "run", "count"));
    assertThat(run("r1").exit()).isZero();

    assertThat(tower.run(traced).exit()).isZero();

    List<String> syncs = strace.calls().stream().filter(call -> call.contains("sync(")).toList();
    assertThat(syncs.stream().filter(call -> call.contains("/.journal>"))).hasSize(2);
    // SQLite creates its write-ahead log for the first write of a process, and moves it to the database at the end.
    assertThat(syncs.stream().filter(call -> !call.contains("/.journal>")))
        .allSatisfy(call -> assertThat(call).containsPattern("/state[/>]"));
  }
}
