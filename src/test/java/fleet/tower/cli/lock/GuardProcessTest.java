package fleet.tower.cli.lock;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import fleet.tower.harness.Await;
import fleet.tower.harness.Extent;
import fleet.tower.harness.Installation;
import fleet.tower.harness.Installation.Result;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.harness.RenewedLock;
import fleet.tower.harness.TestFiles;
import fleet.tower.harness.TestHome;
import fleet.tower.lock.queue.RunOrder;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.service.config.TestService;

@Timeout(300)
@DisplayName("tower guard as a process that receives signals")
class GuardProcessTest {
  private static final String SHORT_TTL = "tower: warning: a lock with a ttl of 3 s is lost whenever the host pauses; "
      + "use 30s or more\n";

  private static final int GUARDS = 20;
  private static final int TOGETHER = 5;
  /** Several times the CPU time of twenty guards; polling all others twice a second takes more. */
  private static final double MOST_IDLE_CORES = 0.1;
  private static final int ROUNDS = 10;
  /** How soon a halt stops a command; without -Plong the machine may be busy. */
  private static final Duration SOON = Duration.ofSeconds(Extent.of(30, 3));
  private static final Duration IDLE = Duration.ofSeconds(3);

  private final Installation tower;
  private final List<Process> started = new ArrayList<>();
  private final Path directory;
  private final Path err;
  private int count;

  GuardProcessTest(@TempDir Path directory) {
    this.directory = directory;
    tower = new Installation(directory.resolve("release"));
    err = directory.resolve("err1");
  }

  /** Starts a guard that runs a script; its stderr goes to {@code err1}, {@code err2}, … */
  private Process guard(String options, String script) throws IOException {
    count++;
    List<String> command = new ArrayList<>(List.of(tower.launcher().toString(), "guard", "prod"));
    Arrays.stream(options.split(" ", -1)).filter(option -> !option.isEmpty()).forEach(command::add);
    command.addAll(List.of("--", "sh", "-c", "cd " + directory + "; " + script));
    Process process = tower.start(command, directory.resolve("out" + count), directory.resolve("err" + count));
    started.add(process);
    return process;
  }

  /** Leaves no guard and no command running, whatever the test's result. */
  @AfterEach
  void killAll() {
    started.forEach(Await::kill);
  }

  private Process begun(String options, String script) throws IOException {
    Process process = guard(options, script);
    Await.until("the command has begun", () -> text("begun").contains("yes") || !process.isAlive());
    assertThat(process.isAlive()).as(TestHome.text(err)).isTrue();
    return process;
  }

  private String text(String file) {
    return TestFiles.textIfAny(directory.resolve(file));
  }

  private void kill(String signal, Process process) {
    assertThat(tower.run(List.of("bash", "-c", "kill -" + signal + " " + process.pid())).exit()).isZero();
  }

  private long pid(String file) {
    return Long.parseLong(text(file).strip());
  }

  private static boolean isAlive(long pid) {
    return ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isPresent();
  }

  private List<String> events() {
    return new TestHome(tower.home()).events();
  }

  @Test
  @DisplayName("A halt of the level kill stops the command even with --on-lost warn, and releases the lock; drain does not")
  void halted() throws Exception {
    Process process = begun("", "echo $$ >pid; trap '' TERM; echo yes >begun; while :; do sleep 0.1; done");
    Path halt = tower.home().resolve("HALT");
    Files.writeString(halt, "drain later");
    SystemTime.scheduler().pause(Duration.ofSeconds(2));
    assertThat(process.isAlive()).as(TestHome.text(err)).isTrue();

    Files.writeString(halt, "kill wrong release");

    assertThat(Await.exitOf(process)).as(TestHome.text(err)).isEqualTo(6);
    assertThat(isAlive(pid("pid"))).isFalse();
    assertThat(text("err1")).contains("tower: warning: lock prod is halted by ", "(HALT): \"wrong release\"; stopping");
    assertThat(tower.tower("locks").out()).isEqualTo("no locks\n");
    assertThat(events()).containsExactly("lock_acquired", "lock_actor", "lock_released", "lock_actor");
  }

  @Test
  @DisplayName("A halt of the level kill soon stops the command of a guard with --server "
      + "and releases the lock; the next guard is refused with 75")
  void haltedByService() throws Exception {
    try (TestService service = new TestService(tower.home())) {
      tower.with("TOWER_TOKEN", service.token()).with("TOWER_ACTOR", "ann");
      Process guard = begun("--server " + service.url(), "echo $$ >pid; echo yes >begun; exec sleep 300");
      long sleeping = pid("pid");
      TestHome elsewhere = new TestHome(directory.resolve("elsewhere")).with("TOWER_URL", service.url())
          .with("TOWER_TOKEN", service.token());
      assertThat(elsewhere.tower("halt later --all --level drain --reason later").exit()).isZero();
      assertThat(elsewhere.tower("halt x --actor ann --level kill --reason wrong").exit()).isZero();

      Await.until("the command is gone", SOON, () -> !isAlive(sleeping));
      assertThat(Await.exitOf(guard)).as(TestHome.text(err)).isEqualTo(6);
      assertThat(text("err1")).contains("tower: warning: lock prod is halted by ", "(x): wrong; stopping");
      assertThat(elsewhere.tower("check prod").exit()).isEqualTo(3);
      assertThat(Await.exitOf(guard("--server " + service.url(), "true"))).isEqualTo(75);
    }
  }

  @ParameterizedTest
  @CsvSource({"INT, 130", "TERM, 143", "HUP, 129", "QUIT, 131"})
  @DisplayName("LK-29 LK-B11 LK-B22 each signal reaches the command and its children once; the lock is released "
      + "as aborted")
  void forwarded(String signal, int exit) throws Exception {
    // The guard runs in the foreground of its parent: a script's background jobs ignore INT and QUIT.
    Process process = begun("", "trap 'echo child " + signal + " >>got; trap - " + signal + "; kill -" + signal
        + " $$' " + signal + "; bash -c 'trap \"echo grandchild " + signal + " >>got; exit\" " + signal
        + "; echo yes >begun; while :; do sleep 0.05; done'");

    kill(signal, process);

    assertThat(Await.exitOf(process)).as(TestHome.text(err)).isEqualTo(exit);
    assertThat(text("got")).isEqualTo("grandchild " + signal + "\nchild " + signal + "\n");
    // Shells print the signal that ended their children; the guard prints nothing.
    assertThat(TestHome.text(err)).doesNotContain("tower");
    assertThat(text("out1")).isEmpty();
    assertThat(events()).containsExactly("lock_acquired", "lock_actor", "lock_released", "lock_actor");
    assertThat(tower.tower("audit", "--event", "lock_released").out()).contains("\"result\":\"aborted\"");
  }

  @Test
  @DisplayName("LK-B17 a command that exits with 0 on TERM has exit code 0")
  void endsWell() throws Exception {
    Process process = begun("", "trap 'exit 0' TERM; echo yes >begun; while :; do sleep 0.05; done");

    kill("TERM", process);

    assertThat(Await.exitOf(process)).isZero();
  }

  @Test
  @DisplayName("LK-B22 the second signal kills a command that ignores the first, and processes that left its group")
  @ProofsProfile
  void secondKills() throws Exception {
    Process process = begun("", "trap '' TERM INT; setsid sh -c 'trap \"\" TERM INT; echo $$ >apart; echo yes >begun; "
        + "while :; do sleep 0.05; done' & while :; do sleep 0.05; done");
    kill("TERM", process);
    assertThat(isAlive(pid("apart"))).isTrue();
    assertThat(process.isAlive()).isTrue();

    kill("INT", process);

    assertThat(Await.exitOf(process)).isEqualTo(137);
    Await.until("the inheriting process has seen its end", () -> !isAlive(pid("apart")));
    assertThat(tower.tower("check", "prod").exit()).isEqualTo(3);
  }

  @Test
  @DisplayName("LK-B11 T5 if the guard is killed, its command ends too, and the lock stays until it is stale and "
      + "forced")
  void killed() throws Exception {
    Process process = begun("--ttl 2s",
        "echo $$ >pid; setsid sh -c 'echo $$ >apart; echo yes >begun; while :; do sleep 0.05; done' & "
            + "while :; do sleep 0.05; done");

    process.destroyForcibly();

    assertThat(tower.tower("guard", "prod", "--", "true").exit()).isEqualTo(75);
    Await.until("the end of the command", () -> !isAlive(pid("pid")) && !isAlive(pid("apart")));
    Await.until("the lock is stale", () -> new TestHome(tower.home()).tower("check prod").exit() == 0);
    assertThat(tower.tower("guard", "prod", "--", "true").exit()).isEqualTo(75);
    assertThat(tower.tower("guard", "prod", "--force-lock", "--", "true").exit()).isZero();
  }

  @Test
  @DisplayName("The lock of a killed guard is released by its owner, who is told how, or by the same guard at its end")
  void killedAndRepeated() throws Exception {
    String unlock = "tower unlock prod --request-id job-1";
    Process first = begun("--request-id job-1", "echo yes >begun; sleep 600");
    assertThat(tower.tower("guard", "prod", "--json", "--", "true").out()).doesNotContain(unlock);
    assertThat(tower.tower("guard", "prod", "--request-id", "job-1", "--", "true").exit()).isZero();
    assertThat(tower.tower("exists", "prod").exit()).as("the first guard still runs").isZero();

    first.destroyForcibly().waitFor();

    assertThat(tower.tower("guard", "prod", "--json", "--", "true").out()).contains(unlock);
    assertThat(tower.tower("why", "prod").out()).contains(unlock);
    assertThat(tower.tower("guard", "prod", "--request-id", "job-1", "--", "true").exit()).isZero();
    assertThat(tower.tower("exists", "prod").exit()).isEqualTo(3);
  }

  @Test
  @DisplayName("LK-B9 T1 two guards of one user exclude each other; a nested one does not")
  void excludes() throws Exception {
    Process process = begun("", "echo yes >begun; while [ ! -e over ]; do sleep 0.05; done; '" + tower.launcher()
        + "' guard prod -- sh -c 'exit 4'; echo $? >inner; '" + tower.launcher() + "' check prod >state");

    assertThat(tower.tower("guard", "prod", "--", "touch", directory.resolve("two").toString()).exit()).isEqualTo(75);
    Files.createFile(directory.resolve("over"));

    assertThat(Await.exitOf(process)).isEqualTo(1);
    assertThat(directory.resolve("two")).doesNotExist();
    assertThat(text("inner")).isEqualTo("4\n");
    assertThat(text("state")).startsWith("active");
    assertThat(events()).containsExactly("lock_acquired", "lock_actor", "lock_blocked", "lock_released", "lock_actor");
  }

  @Test
  @DisplayName("LK-1 LK-8 LK-29 a command that runs longer than the ttl keeps its lock, and has input, output "
      + "and errors")
  @ProofsProfile
  void renews() throws Exception {
    tower.with("TOWER_HEARTBEAT_MAX_INTERVAL", "1s");
    Result result = tower.run(List.of("bash", "-c", "echo hello | '" + tower.launcher() + "' guard prod --ttl 10s -- "
        + "sh -c 'cat; echo oops >&2; sleep 11; \"" + tower.launcher() + "\" check prod'"));

    assertThat(result.exit()).isEqualTo(1);
    assertThat(result.out()).startsWith("hello\nactive\n");
    assertThat(result.err()).isEqualTo("oops\n");
  }

  @Test
  @DisplayName("LK-4 LK-6 LK-7 LK-B2 LK-B3 a lost lock is reported once; the command continues, and the new "
      + "holder's file is unchanged")
  @ProofsProfile
  void lostWarns() throws Exception {
    Process process = begun("--ttl 3s", "echo yes >begun; while [ ! -e over ]; do sleep 0.05; done; exit 3");
    Path lock = tower.home().resolve("logs/locks/prod.lock");
    String thiefs = TestHome.foreignText("prod", TestHome.now(), 900);
    RenewedLock.awaitRenewal(lock);
    Files.move(Files.writeString(directory.resolve("thief"), thiefs), lock, StandardCopyOption.ATOMIC_MOVE);
    Await.until("the message", () -> TestHome.text(err).contains(" is lost: "));
    Files.createFile(directory.resolve("over"));

    assertThat(Await.exitOf(process)).isEqualTo(3);
    // On a busy machine, a renewal may be late before the lock is taken.
    List<String> warnings = TestHome.text(err).lines().filter(line -> !line.contains(" was not renewed in time: "))
        .toList();
    assertThat(warnings).hasSize(2).first().asString().isEqualTo(SHORT_TTL.strip());
    assertThat(warnings).last().asString()
        .startsWith("tower: warning: lock prod is lost: held by claude-code on tower-02 ")
        .endsWith("; the command has run without it since");
    assertThat(TestHome.text(lock)).isEqualTo(thiefs);
    assertThat(events()).contains("lock_lost").doesNotContain("lock_released");
  }

  @Test
  @DisplayName("LK-7 with --on-lost stop a lost lock ends the command and its children: 6, and no lock is created")
  void lostStops() throws Exception {
    tower.with("TOWER_HEARTBEAT_MAX_INTERVAL", "1s");
    Process process = begun("--ttl 5m --on-lost stop", "setsid sh -c 'echo $$ >apart; echo yes >begun; "
        + "while :; do sleep 0.05; done' & while :; do sleep 0.05; done");

    Path lock = tower.home().resolve("logs/locks/prod.lock");
    RenewedLock.awaitRenewal(lock);
    Files.delete(lock);

    assertThat(Await.exitOf(process)).isEqualTo(6);
    Await.until("the inheriting process has seen its end", () -> !isAlive(pid("apart")));
    assertThat(TestHome.text(err)).isEqualTo(
        "tower: warning: lock prod is lost: it is not held by anyone; stopping the command\n");
    assertThat(tower.tower("check", "prod").exit()).isEqualTo(3);
  }

  private Path locks() {
    return tower.home().resolve("logs/locks");
  }

  @Test
  @DisplayName("TF-5.6 TF-5.7 a guard that cannot renew its lock reports it on the first and third failure, and "
      + "recovers")
  @ProofsProfile
  void cannotRenew() throws Exception {
    tower.with("TOWER_HEARTBEAT_MAX_INTERVAL", "1s");
    Process process = begun("--ttl 5m", "echo yes >begun; while [ ! -e over ]; do sleep 0.05; done; exit 3");
    RenewedLock.block(locks(), "prod");
    Await.until("the third failure", () -> TestHome.text(err).contains("3 times in a row"));
    RenewedLock.unblock(locks(), "prod");
    Await.until("a heartbeat", () -> !RenewedLock.isBlocked(locks(), "prod"));
    Files.createFile(directory.resolve("over"));

    assertThat(Await.exitOf(process)).isEqualTo(3);
    assertThat(TestHome.text(err).lines()).satisfiesExactly(
        first -> assertThat(first).startsWith("tower: warning: heartbeat of lock prod failed: lock prod: ENOTEMPTY")
            .endsWith("; trying again"),
        third -> assertThat(third)
            .startsWith("tower: warning: heartbeat of lock prod failed 3 times in a row: lock prod: ENOTEMPTY"));
    assertThat(events()).containsExactly("lock_acquired", "lock_actor", "heartbeat_failed", "lock_actor",
        "lock_released", "lock_actor");
  }

  @Test
  @DisplayName("TF-A5 TF-8.2 with --on-lost stop a lock that cannot be renewed ends the command in time, and is "
      + "free for the next")
  @ProofsProfile
  void cannotRenewAndStops() throws Exception {
    tower.with("TOWER_HEARTBEAT_MAX_INTERVAL", "1s");
    Process process = begun("--ttl 10s --on-lost stop", "echo yes >begun; while :; do sleep 0.05; done");
    RenewedLock.block(locks(), "prod");

    assertThat(Await.exitOf(process)).isEqualTo(6);
    assertThat(TestHome.text(err).lines().toList().getLast())
        .startsWith("tower: warning: lock prod was not renewed in time: ").contains("ENOTEMPTY")
        .endsWith("; stopping the command");
    assertThat(events()).containsExactly("lock_acquired", "lock_actor", "heartbeat_failed", "lock_actor", "lock_lost",
        "lock_released", "lock_actor");
    assertThat(tower.tower("audit", "--event", "lock_lost").out()).contains("\"error\":\"", "ENOTEMPTY");
    assertThat(tower.tower("check", "prod").exit()).isEqualTo(3);
  }

  @Test
  @DisplayName("LK-10 a blocked heartbeat delays no signal; the lock is released after it")
  @ProofsProfile
  void stalled() throws Exception {
    Process process = begun("--ttl 1s", "trap 'echo got >got; exit 0' TERM; echo yes >begun; "
        + "while :; do sleep 0.05; done");
    try (FileChannel file = FileChannel.open(tower.home().resolve("logs/locks/.guard"), StandardOpenOption.WRITE);
        FileLock _ = file.lock()) {
      kill("TERM", process);
      Await.until("the command's end", () -> !text("got").isEmpty());
      assertThat(process.isAlive()).isTrue();
    }

    assertThat(Await.exitOf(process)).isZero();
    assertThat(tower.tower("check", "prod").exit()).isEqualTo(3);
  }

  @Test
  @DisplayName("A signal during the wait leaves the queue and starts nothing: 128 + the signal")
  @ProofsProfile
  void interruptedWait() throws Exception {
    tower.tower("lock", "prod", "--request-id", "other");
    Process process = guard("--wait 10m", "touch started");
    Await.until("it waits", () -> TestHome.text(err).contains("tower: lock prod is held by alice"));

    kill("INT", process);

    assertThat(Await.exitOf(process)).isEqualTo(130);
    assertThat(directory.resolve("started")).doesNotExist();
    assertThat(tower.home().resolve("logs/locks/.queue")).isEmptyDirectory();
    assertThat(tower.home().resolve("state/processes")).isEmptyDirectory();
    assertThat(tower.tower("unlock", "prod", "--request-id", "other").exit()).isZero();
  }

  @Test
  @DisplayName("The command has the caller's locale, not the one set for Java")
  @ProofsProfile
  void locale() {
    Result set = tower.with("LC_ALL", "POSIX").tower("guard", "prod", "--", "sh", "-c", "env | grep ^LC_");
    Result unset = tower.without("LC_ALL").tower("guard", "prod", "--", "sh", "-c", "env | grep -c ^LC_");

    assertThat(set).isEqualTo(new Result(0, "LC_ALL=POSIX\n", ""));
    assertThat(unset).isEqualTo(new Result(1, "0\n", ""));
  }

  @Test
  @DisplayName("Twenty guards that wait for one name run one at a time, in order of arrival, and use little CPU "
      + "while they wait")
  @ProofsProfile
  void twenty() throws Exception {
    tower.tower("lock", "prod", "--request-id", "gate");
    List<Process> guards = new ArrayList<>();
    for (int i = 1; i <= GUARDS; i++) {
      int number = i;
      guards.add(guard("--wait 10m",
          "mkdir alone && " + RunOrder.note(i, directory.resolve("order")) + "; rmdir alone"));
      if (i % TOGETHER == 0) {
        Await.until("they are in the queue", () -> waiting() == number);
      }
    }
    List<String> tickets = tickets();
    assertThat(idleCores(guards)).isLessThan(MOST_IDLE_CORES);
    // A user has few inotify instances; only the first few in the queue need one.
    assertThat(guards.stream().filter(GuardProcessTest::hasInotify).count()).isBetween(1L, (long) TOGETHER);

    RunOrder order = new RunOrder(directory.resolve("order"));
    assertThat(tower.tower("unlock", "prod", "--request-id", "gate").exit()).isZero();

    for (Process guard : guards) {
      assertThat(Await.exitOf(guard)).isZero();
    }
    assertThat(tickets).hasSize(GUARDS);
    assertThat(order.numbers()).hasSize(GUARDS).doesNotHaveDuplicates();
    // They arrive in groups of five; within a group only the tickets know the order.
    order.assertInOrder(number -> (number - 1) / TOGETHER);
    assertThat(events().stream().filter("lock_released"::equals)).hasSize(GUARDS + 1);
    try (var left = Files.list(tower.home().resolve("logs/locks"))) {
      assertThat(left.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrder(".guard", ".journal", ".prod.fence", ".prod.beat", ".queue");
    }
    assertThat(tickets()).isEmpty();
  }

  /** The CPU time of all guards while nothing happens, in cores; the best of ten, because starting takes some too. */
  private static double idleCores(List<Process> guards) {
    double least = Double.MAX_VALUE;
    for (int round = 0; round < ROUNDS && least >= MOST_IDLE_CORES; round++) {
      Duration before = processorTime(guards);
      long begun = SystemTime.source().nanos();
      SystemTime.scheduler().pause(IDLE);
      double cores = (double) processorTime(guards).minus(before).toNanos() / (SystemTime.source().nanos() - begun);
      least = Math.min(least, cores);
    }
    return least;
  }

  private static Duration processorTime(List<Process> processes) {
    return processes.stream().map(process -> process.info().totalCpuDuration().orElseThrow())
        .reduce(Duration.ZERO, Duration::plus);
  }

  private static boolean hasInotify(Process process) {
    try (var files = Files.list(Path.of("/proc/" + process.pid() + "/fd"))) {
      return files.anyMatch(GuardProcessTest::isInotify);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static boolean isInotify(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).toString().contains("inotify");
    } catch (IOException closedMeanwhile) {
      return false;
    }
  }

  private long waiting() {
    return tickets().size();
  }

  /** The directory may be absent; while it is read, tickets come and go. */
  private List<String> tickets() {
    String[] tickets = tower.home().resolve("logs/locks/.queue/prod").toFile().list();
    return tickets == null ? List.of() : List.of(tickets);
  }
}
