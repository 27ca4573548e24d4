package fleet.tower.cli.lock;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.TestHome;
import fleet.tower.harness.TestHome.Outcome;
import fleet.tower.platform.json.JsonValue;

@DisplayName("tower exclusive, and other tools' locks in the other commands")
class ExclusiveCommandTest {
  private static final long SELF = ProcessHandle.current().pid();
  private final TestHome home;
  private final Path project;
  private final Path beads;
  private final Path file;

  ExclusiveCommandTest(@TempDir Path directory) throws IOException {
    home = new TestHome(directory.resolve("home"));
    project = directory.resolve("project");
    beads = Files.createDirectories(project.resolve(".beads"));
    file = beads.resolve(".exclusive-lock");
    Files.createDirectories(home.root().resolve("intents"));
  }

  private Outcome exclusive(String what, String... options) {
    String[] line = new String[options.length + 3];
    line[0] = "exclusive";
    line[1] = what;
    line[2] = beads.toString();
    System.arraycopy(options, 0, line, 3, options.length);
    return home.run(line);
  }

  private void lock(String holder, long pid, String hostname) {
    write("""
        { "holder": "%s", "pid": %d, "hostname": "%s", "started_at": "2025-10-25T12:00:00Z" }
        """.formatted(holder, pid, hostname));
  }

  private void write(String text) {
    try {
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static String hostname() {
    return TestHome.text(Path.of("/proc/sys/kernel/hostname")).strip();
  }

  /** The pid of a process that has ended. */
  private static long dead() {
    try {
      Process process = new ProcessBuilder("true").start();
      process.waitFor();
      return process.pid();
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private void intent(String name, String controls) {
    try {
      Files.writeString(home.root().resolve("intents/" + name + ".yaml"), """
          apiVersion: tower-fleet/intent/v1
          kind: Intent
          metadata: { name: %s, version: 1.0.0 }
          spec:
            mode: mutate
            controls: { lock: %s, %s }
            steps:
              - name: look
                run: [cat, "%s"]
          """.formatted(name, name, controls, file));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  @DisplayName("BD-3 check prints proceed, skip HOLDER or removed-stale HOLDER, and exits with 0, 2 or 0")
  void checks() {
    assertThat(exclusive("check")).isEqualTo(new Outcome(0, "proceed\n", ""));
    lock("vc-executor", SELF, hostname());
    assertThat(exclusive("check"))
        .isEqualTo(new Outcome(2, "skip vc-executor\n", "Skipping database (locked by vc-executor)\n"));
    lock("vc-executor", 1, "somewhere-else");
    assertThat(exclusive("check").exit()).isEqualTo(2);
    lock("vc-executor", dead(), hostname());
    assertThat(exclusive("check")).isEqualTo(new Outcome(0, "removed-stale vc-executor\n",
        "tower: warning: Removed stale lock (vc-executor), proceeding with sync\n"));
    assertThat(file).doesNotExist();
    assertThat(home.events()).containsExactly("foreign_lock_removed");
  }

  @Test
  @DisplayName("BD-3 BD-4 a malformed lock is skipped without a holder, the log has the reason, and the file stays")
  void malformed() {
    write("");

    assertThat(exclusive("check")).isEqualTo(new Outcome(2, "skip\n",
        "Skipping database (lock check failed: malformed lock file: empty)\n"));
    assertThat(exclusive("check").exit()).isEqualTo(2);
    assertThat(exclusive("acquire").exit()).isEqualTo(2);
    assertThat(file).hasContent("");
  }

  @Test
  @DisplayName("BD-8 BD-B7 JSON shows the state and the holder, for DIR itself and not for directories above it")
  void checkForPrograms() {
    lock("vc-executor", SELF, hostname());
    Outcome held = exclusive("check", "--json");
    assertThat(held.data().text("exclusive_lock_holder")).hasValue("vc-executor");
    assertThat(held.data().get("exclusive_lock_active")).isInstanceOfSatisfying(JsonValue.Bool.class,
        active -> assertThat(active.value()).isTrue());
    assertThat(held.data().object("held_by").orElseThrow().integer("pid")).hasValue(SELF);

    Outcome above = home.run("exclusive", "check", project.toString());
    assertThat(above).isEqualTo(new Outcome(0, "proceed\n",
        "tower: warning: " + project + " contains a .beads directory; did you mean that one?\n"));
  }

  @Test
  @DisplayName("BD-6 BD-7 acquire never overwrites another's lock, is idempotent, and release removes only its "
      + "own lock")
  void acquiresAndReleases() {
    String pid = Long.toString(SELF);
    Outcome acquired = exclusive("acquire", "--pid", pid, "--holder", "ci-runner");
    assertThat(acquired.exit()).as(acquired.err()).isZero();
    assertThat(acquired.out()).isEqualTo("acquired ci-runner\n");
    assertThat(TestHome.json(TestHome.text(file)).text("holder")).hasValue("ci-runner");
    assertThat(exclusive("acquire", "--pid", pid, "--holder", "ci-runner").out()).isEqualTo("already-held ci-runner\n");

    Outcome refused = exclusive("acquire", "--pid", pid, "--holder", "other", "--json");
    assertThat(refused.exit()).isEqualTo(2);
    assertThat(refused.errorCode()).isEqualTo("foreign_lock");
    assertThat(refused.context().text("holder")).hasValue("ci-runner");
    assertThat(exclusive("release", "--pid", pid, "--holder", "other").exit()).isEqualTo(4);
    assertThat(file).exists();

    assertThat(exclusive("release", "--pid", pid, "--holder", "ci-runner"))
        .isEqualTo(new Outcome(0, "released ci-runner\n", ""));
    assertThat(exclusive("release", "--pid", pid, "--holder", "ci-runner")).isEqualTo(new Outcome(0, "not-held\n", ""));
    assertThat(home.events()).containsExactly("foreign_lock_acquired", "foreign_lock_released");
  }

  @Test
  @DisplayName("Usage errors: an unknown subcommand, no DIR, no process")
  void usage() {
    assertThat(exclusive("steal").exit()).isEqualTo(64);
    assertThat(home.tower("exclusive check").exit()).isEqualTo(64);
    assertThat(exclusive("acquire", "--pid", "0").exit()).isEqualTo(64);
    assertThat(exclusive("acquire", "--pid", "99999999999").exit()).isEqualTo(64);
    assertThat(exclusive("acquire", "--pid", Long.toString(dead())).err()).contains("does not exist");
  }

  @Test
  @DisplayName("A respected lock refuses a run: exit 2, foreign_lock, the holder named, no lock left, nothing run")
  void runRefused() {
    intent("sync", "respect: [\"beads:" + beads + "\"]");
    lock("vc-executor", SELF, hostname());

    Outcome refused = home.tower("run sync");

    assertThat(refused.exit()).isEqualTo(2);
    assertThat(refused.err()).startsWith("tower: foreign lock beads:" + beads + " is held by vc-executor (pid " + SELF
        + " on " + hostname() + ", since 2025-10-25T12:00:00Z)\n  wait for it: tower run sync --wait 10m\n");
    assertThat(home.tower("locks").out()).isEqualTo("no locks\n");
    assertThat(home.tower("runs").out()).isEqualTo("no runs\n");
    assertThat(home.tower("run sync --json").errorCode()).isEqualTo("foreign_lock");
  }

  @Test
  @DisplayName("A run holds its exclusive locks during its steps, even when it replaces a dead holder's, and leaves no "
      + "file")
  void runHolds() {
    intent("sync", "exclusive: [\"beads:" + beads + "\"]");
    lock("vc-executor", dead(), hostname());

    Outcome run = home.tower("run sync");

    assertThat(run.exit()).as(run.err()).isZero();
    assertThat(run.out()).contains("\"holder\": \"tower/sync\"", "\"pid\": " + SELF);
    assertThat(run.err()).contains("Removed stale lock (vc-executor), proceeding with sync");
    assertThat(file).doesNotExist();
    assertThat(home.events()).containsExactly("lock_acquired", "lock_actor", "foreign_lock_removed",
        "foreign_lock_acquired",
        "run_started", "foreign_lock_released", "lock_released", "lock_actor", "run_finished");
    assertThat(home.tower("audit --event foreign_lock_acquired").out()).contains("\"foreign_lock\":\"beads:" + beads
        + "\",\"holder\":\"tower/sync\",\"pid\":" + SELF
        + ",\"actor\":\"alice\",\"door\":\"run\",\"intent\":\"sync\",\"host_id\":\"tower-01\"}");
  }

  @Test
  @DisplayName("plan shows the state of each lock; why shows the holder and the remedy; neither changes anything")
  void looks() {
    intent("sync", "respect: [\"beads:" + beads + "\", \"flock:locks/backup\"]");
    lock("vc-executor", dead(), hostname());

    assertThat(home.tower("plan sync").out()).contains("respect   beads:" + beads + ": stale, held by vc-executor\n",
        "respect   flock:locks/backup: free\n");
    assertThat(home.run("why", "beads:" + beads).exit()).isZero();
    assertThat(file).exists();
    lock("vc-executor", SELF, hostname());
    Outcome why = home.run("why", "beads:" + beads);
    assertThat(why.exit()).isEqualTo(2);
    assertThat(why.out()).isEqualTo("foreign_lock: foreign lock beads:" + beads + " is held by vc-executor (pid " + SELF
        + " on " + hostname()
        + ", since 2025-10-25T12:00:00Z); wait until its holder releases it\n  try: tower exclusive check " + beads
        + "\n");
    assertThat(TestHome.texts(home.run("why", "beads:" + beads, "--json").data(), "reasons", "type"))
        .containsExactly("foreign_lock");
    assertThat(home.events()).isEmpty();
  }

  @Test
  @DisplayName("BD-9 doctor reports locks that are stale, in doubt, in the wrong place, or committed to git")
  void doctor() throws Exception {
    intent("sync", "respect: [\"beads:" + beads + "\", \"beads:" + project + "\"]");
    assertThat(home.tower("doctor").out())
        .contains("contains a .beads directory, which has the lock", "→ write beads:" + beads);
    intent("sync", "respect: [\"beads:" + beads + "\"]");
    assertThat(home.tower("doctor").out()).contains("1 named, none stale or doubtful");

    lock("vc-executor", dead(), hostname());
    for (String command : new String[]{"init -q", "add -f .beads/.exclusive-lock"}) {
      assertThat(new ProcessBuilder(("git -C " + project + " " + command).split(" ", -1)).start().waitFor())
          .isZero();
    }
    assertThat(home.tower("doctor").out()).contains("is stale: its holder vc-executor (pid ", "→ tower exclusive check "
        + beads, "is tracked by git, so every clone would start locked");
    write("{");
    assertThat(home.tower("doctor").out()).contains("in doubt, which counts as held: malformed lock file");
    assertThat(file).hasContent("{");
  }
}
