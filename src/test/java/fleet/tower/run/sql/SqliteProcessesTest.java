package fleet.tower.run.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.harness.ProofsProfile;
import fleet.tower.lease.RequestId;
import fleet.tower.run.Run;
import fleet.tower.run.RunStatus;
import fleet.tower.run.RunStore;
import fleet.tower.run.Runs;

@DisplayName("Runs in SQLite, with real processes on one home")
class SqliteProcessesTest {
  private static final int SHARED = 150;
  private static final RunStore.Query ALL = RunStore.Query.of(null, null, 10_000);

  private final Path file;

  SqliteProcessesTest(@TempDir Path home) {
    file = home.resolve("state/tower.db");
  }

  private RunStore store() {
    return new SqlRuns("jdbc:sqlite:" + file).open();
  }

  @Test
  @DisplayName("Ten processes create the database at the same moment: a run is new in one of them, and all see it")
  @ProofsProfile
  void madeByTen() {
    List<RunProcess> processes = IntStream.range(0, 10).mapToObj(_ -> RunProcess.on(file)).toList();
    processes.forEach(process -> assertThat(process.ask("hello")).isEqualTo("hello"));

    processes.forEach(process -> process.tell("begin r"));

    List<String> answers = processes.stream().map(RunProcess::answer).sorted().toList();
    assertThat(answers).startsWith("New").hasSize(10);
    assertThat(answers.subList(1, 10)).containsOnly("Same");
    assertThat(processes).allSatisfy(process -> assertThat(process.ask("list")).isEqualTo("1"));
    processes.forEach(RunProcess::close);
  }

  @Test
  @DisplayName("Five processes send the same requests, and two are killed in the middle: no request is new twice, and none is lost")
  @ProofsProfile
  void hammer() {
    List<RunProcess> processes = IntStream.range(0, 5).mapToObj(_ -> RunProcess.on(file)).toList();
    processes.forEach(process -> process.ask("hello"));
    for (int i = 0; i < 5; i++) {
      processes.get(i).tell("all " + SHARED + " " + i);
    }
    List<String> said = new ArrayList<>();
    for (RunProcess victim : processes.subList(0, 2)) {
      for (int i = 0; i < 5; i++) {
        said.add(victim.answer());
      }
      victim.kill();
      said.addAll(victim.rest());
      said.remove("done");
    }
    for (RunProcess survivor : processes.subList(2, 5)) {
      for (int i = 0; i < SHARED; i++) {
        said.add(survivor.answer());
      }
      assertThat(survivor.answer()).isEqualTo("done");
      survivor.close();
    }

    assertThat(said).filteredOn(line -> !line.matches("(New|Same) r\\d+")).isEmpty();
    List<String> begun = said.stream().filter(line -> line.startsWith("New ")).toList();
    assertThat(begun).doesNotHaveDuplicates().hasSizeBetween(SHARED - 2, SHARED);
    try (RunStore store = store()) {
      List<Run> kept = store.list(ALL);
      assertThat(kept).hasSize(SHARED);
      assertThat(kept).filteredOn(run -> run.status() == RunStatus.WAITING).hasSizeLessThanOrEqualTo(2);
    }
  }

  @Test
  @DisplayName("A run whose process is killed is known, and can be marked as interrupted")
  void killedBetween() {
    try (RunProcess process = RunProcess.on(file)) {
      assertThat(process.ask("begin r")).isEqualTo("New");
      process.kill();
    }

    try (RunStore store = store()) {
      assertThat(store.begin(Runs.claim("again", "key-r"), Runs.waiting("again"), "other"))
          .isEqualTo(new RunStore.Same(Runs.waiting("r")));
      assertThat(store.unfinished()).containsExactly(new RunStore.Unfinished(new RequestId("r"), "process"));
      assertThat(store.interrupt(new RequestId("r"), "process", Runs.NOON)).map(Run::status)
          .contains(RunStatus.INTERRUPTED);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"000", "022", "077"})
  @DisplayName("Only the owner can read the files, whatever the umask")
  void modes(String umask) throws IOException {
    try (RunProcess process = RunProcess.behind(List.of(), "umask " + umask + "; exec \"$@\"", file)) {
      assertThat(process.ask("begin r")).isEqualTo("New");
      try (Stream<Path> files = Files.list(file.resolveSibling(""))) {
        assertThat(files.filter(Files::isRegularFile).toList()).hasSize(3)
            .allSatisfy(path -> assertThat(Files.getPosixFilePermissions(path))
                .isEqualTo(PosixFilePermissions.fromString("rw-------")));
      }
      assertThat(Files.getPosixFilePermissions(file.resolveSibling("")))
          .isEqualTo(PosixFilePermissions.fromString("rwx------"));
    }
  }

  @Test
  @DisplayName("On a full disk starting a run fails with the reason and changes nothing; once there is space, the "
      + "request is new")
  void fullDisk() throws IOException {
    Files.createDirectories(file.resolveSibling(""));
    String mount = "mount -t tmpfs -o size=704k,mode=700 tmpfs \"$0\" || exit 99; dd if=/dev/zero of=\"$0/ballast\""
        + " bs=1k count=64 2>/dev/null; ";
    // The shell stays in the namespace of the process, and frees space when its input ends.
    String shell = mount + "\"$@\"; rm \"$0/ballast\"; echo room; exec \"$@\" <\"$0/../orders\"";
    Files.writeString(file.resolveSibling("").resolve("../orders"), "begin lost\nlist\nsave fill-0\n");
    try (RunProcess process = inNamespace(shell)) {
      String refusal = process.ask("fill");
      String kept = process.ask("list");
      String again = process.ask("begin lost");
      assertThat(refusal).isEqualTo("StorageException the disk of the database " + file
          + " is full; free some space [SQLITE_FULL]");
      assertThat(Integer.parseInt(kept)).isGreaterThan(10);
      assertThat(again).isEqualTo(refusal);
      assertThat(process.ask("list")).isEqualTo(kept);
      process.endOrders();
      assertThat(process.rest()).containsExactly("room", "New", Integer.toString(Integer.parseInt(kept) + 1), "saved");
    }
  }

  @Test
  @DisplayName("In a read-only directory no run can be started, and none is lost")
  void readOnly() {
    try (RunStore store = store()) {
      store.begin(Runs.claim("r", "key-r"), Runs.waiting("r"), "process");
    }
    String shell = "mount --bind \"$0\" \"$0\" && mount -o remount,bind,ro \"$0\" || exit 99; exec \"$@\"";
    try (RunProcess process = inNamespace(shell)) {
      assertThat(process.ask("begin s")).startsWith("StorageException ").contains(file.toString(), "writ");
      assertThat(process.ask("list")).startsWith("StorageException ").contains(file.toString(), "writ");
    }
    try (RunStore store = store()) {
      assertThat(store.list(ALL)).containsExactly(Runs.waiting("r"));
    }
  }

  /** A process in a mount namespace of its own, which ends with the process. */
  private RunProcess inNamespace(String shell) {
    for (List<String> unshare : List.of(List.of("unshare", "-m"), List.of("unshare", "-Urm"))) {
      RunProcess process = RunProcess.behind(unshare, shell, file);
      if (process.ask("hello").equals("hello")) {
        return process;
      }
      process.close();
    }
    return Assumptions.abort("no mount namespace can be made here");
  }
}
