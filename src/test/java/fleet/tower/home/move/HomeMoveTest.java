package fleet.tower.home.move;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.harness.Await;
import fleet.tower.harness.Extent;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.harness.TestHome;
import fleet.tower.harness.TestHome.Outcome;
import fleet.tower.home.Home;
import fleet.tower.home.MoveHammerMain;
import fleet.tower.home.RunEngine;
import fleet.tower.lease.Actor;
import fleet.tower.lease.Door;
import fleet.tower.lease.Holder;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.lock.AcquireRequest;
import fleet.tower.lock.FreezeRequest;
import fleet.tower.lock.Halt;
import fleet.tower.lock.HaltRequest;
import fleet.tower.lock.TestRequest;
import fleet.tower.mailbox.MailboxCommand;
import fleet.tower.mailbox.MailboxName;
import fleet.tower.mailbox.Mailboxes;
import fleet.tower.mailbox.MessageBody;
import fleet.tower.mailbox.MessageId;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.sql.DirectTables;
import fleet.tower.platform.sql.PostgresServer;
import fleet.tower.platform.time.Timestamps;
import fleet.tower.run.members.Member;
import fleet.tower.task.Agent;
import fleet.tower.task.TaskCommand;
import fleet.tower.task.Tasks;

@DisplayName("`tower move` moves a home into the database of a fleet")
class HomeMoveTest {
  private static final Actor ANN = new Actor("ann", Door.CLI);

  private final String url = PostgresServer.newDatabase();
  private final DirectTables tables = new DirectTables(url);
  private final Path directory;
  private final TestHome home;

  HomeMoveTest(@TempDir Path directory) throws IOException {
    this.directory = directory;
    home = new TestHome(directory.resolve("home"));
    Files.writeString(home.root().resolve("intents/note.yaml"), """
        apiVersion: tower-fleet/intent/v1
        kind: Intent
        metadata: { name: note, version: 1.0.0 }
        spec:
          mode: mutate
          controls: { lock: note }
          steps: [{ name: work, script: echo noted }]
        """);
  }

  private Outcome ok(String line) {
    Outcome outcome = home.tower(line);
    assertThat(outcome.exit()).as(line + ": " + outcome).isZero();
    return outcome;
  }

  private Outcome move() {
    return home.run("move", "--to", url, "--json");
  }

  private void useFleet() {
    home.with("TOWER_DATABASE_URL", url);
  }

  @Test
  @DisplayName("Locks with their tokens, freezes, halts, runs, claims, receipts and dead letters are the same afterwards")
  void everything() throws IOException {
    long token = ok("lock prod --request-id r1 --ttl 15m --json").data().integer("fencing_token").orElseThrow();
    ok("lock gone --request-id r2 --json");
    ok("unlock gone --request-id r2");
    forgotten("old");
    ok("freeze cold --ttl 30m --reason upgrade");
    ok("halt night --lock db-* --level drain --ttl 8h --reason upgrade");
    ok("run note --request-id run-1");
    ok("run note --request-id run-2 --queue");
    ok("task create first --agent ann --request-id t1 --json");
    ok("task create second --agent ann --request-id t2 --json");
    Outcome claimed = ok("task claim --agent bob --request-id c1 --json");
    ok("mailbox send reviews one --text");
    ok("mailbox send reviews two --text");
    ok("mailbox send reviews three --text");
    String receipt = receipt();
    ok("mailbox reject reviews " + receipt() + " --error bad");
    String runs = ok("runs --json").out();
    String tasks = ok("task list --json").out();
    String mailboxes = ok("mailbox count --json").out();

    Outcome moved = move();

    assertThat(moved.exit()).as(moved.toString()).isZero();
    assertThat(moved.data().raw()).contains("\"locks\":4", "\"locks_held\":1", "\"freezes\":1", "\"halts\":1",
        "\"runs\":2",
        "\"tasks\":2", "\"mailbox_messages\":4");
    assertThat(moved.err()).contains("the copy is committed");
    useFleet();
    assertThat(ok("runs --json").out()).isEqualTo(runs);
    assertThat(ok("task list --json").out()).isEqualTo(tasks);
    assertThat(ok("mailbox count --json").out()).isEqualTo(mailboxes);
    ok("heartbeat prod --request-id r1 --token " + token);
    assertThat(home.tower("lock prod --request-id r3 --json").errorCode()).isEqualTo("lock_blocked");
    ok("unlock prod --request-id r1");
    assertThat(ok("lock prod --request-id r3 --json").data().integer("fencing_token").orElseThrow())
        .isGreaterThan(token);
    assertThat(ok("lock gone --request-id r4 --json").data().integer("fencing_token").orElseThrow()).isGreaterThan(1);
    assertThat(ok("lock old --request-id r4 --json").data().integer("fencing_token").orElseThrow()).isGreaterThan(3);
    assertThat(home.tower("lock cold --request-id r5 --json").errorCode()).isEqualTo("lock_frozen");
    assertThat(home.tower("lock db-1 --request-id r6 --json").errorCode()).isEqualTo("halted");
    assertThat(ok("halts").out()).containsPattern("night +drain +locks db-\\* +alice +2\\S+Z +upgrade");
    assertThat(ok("run note --request-id run-1 --json").out()).contains("run-1");
    assertThat(tables.look("SELECT request_id FROM runs WHERE finished_at IS NULL")).containsExactly("run-2");
    String task = claimed.data().raw().replaceAll(".*?\"id\":\"([^\"]+)\".*", "$1");
    ok("task heartbeat " + task + " --agent bob --request-id c2");
    assertThat(ok("task claim --agent bob --request-id c1 --json").out()).contains(task);
    ok("task close " + task + " --outcome done --agent bob --request-id c3");
    ok("mailbox ack reviews " + receipt);
    assertThat(ok("mailbox dead reviews --json").out()).contains("bad");
    assertThat(ok("audit --json").out()).contains("run-1", "\"event\":\"home_moved\"");
  }

  private DirectTables sqlite() {
    return new DirectTables("jdbc:sqlite:" + home.root().resolve("state/tower.db"));
  }

  /** A lock that was not used for so long that only its token is remembered. */
  private void forgotten(String name) throws IOException {
    for (int i = 0; i < 3; i++) {
      ok("lock " + name + " --request-id r2");
      ok("unlock " + name + " --request-id r2");
    }
    Path counter = home.locks().resolve("." + name + ".fence");
    Files.setLastModifiedTime(counter, FileTime.from(Instant.EPOCH));
    Files.delete(home.locks().resolve("." + name + ".beat"));
    assertThat(ok("gc --json").data().integer("lock_names")).hasValue(1);
    assertThat(counter).doesNotExist();
  }

  private String receipt() {
    String answer = ok("mailbox receive reviews --visibility 1h --json").data().raw();
    return answer.replaceAll(".*?\"receipt_handle\":\"([^\"]+)\".*", "$1");
  }

  @Test
  @DisplayName("The output and the audit days from before the move can be read on another host once a process of the "
      + "home has run")
  void readElsewhere() throws IOException {
    ok("run note --request-id run-1");
    String old = Timestamps.format(TestHome.now().minus(Duration.ofDays(40)));
    Files.writeString(home.root().resolve("logs/audit/audit-" + old.substring(0, 10) + ".jsonl"),
        "{\"event\":\"lock_blocked\",\"request_id\":\"r0\",\"timestamp\":\"" + old + "\",\"lock_name\":\"prod\"}\n");
    assertThat(move().exit()).isZero();
    TestHome other = new TestHome(directory.resolve("other")).with("TOWER_DATABASE_URL", url)
        .with("TOWER_HOST_ID", "tower-02");
    assertThat(other.tower("runs run-1").out()).contains("run-1: succeeded").doesNotContain("noted");

    try (Home service = new Home(home.root(), Map.of("TOWER_DATABASE_URL", url), _ -> {}, Home.Listener.NONE)) {
      RunEngine engine = service.runs().engine(Member.Kind.SERVICE);
      service.watchAudit();
      engine.output().start();
      Await.until("the output is copied", () -> other.tower("runs run-1").out().contains("    | noted"));
      Await.until("the audit log is copied", () -> other.tower("audit --request-id r0").out().contains(old));
      engine.close(Duration.ZERO);
    }

    assertThat(other.tower("audit --request-id run-1").out()).contains("lock_acquired", "run_started", "run_finished",
        "lock_released");
    assertThat(other.tower("audit --json").out()).contains("\"event\":\"home_moved\"");
  }

  @Test
  @DisplayName("After the move each command with the old setting reports in one line where the home is")
  void refusesOldSetting() {
    ok("lock prod --request-id r1");
    assertThat(move().exit()).isZero();

    for (String line : List.of("lock other", "heartbeat prod --request-id r1", "locks", "runs", "task list",
        "mailbox count", "audit", "run note")) {
      Outcome refused = home.tower(line);
      assertThat(refused.exit()).as(line).isEqualTo(69);
      assertThat(refused.err()).as(line).containsPattern("this home was moved to postgresql://localhost:\\d+/tower_\\d+"
          + " on \\d{4}-\\S+Z; set tower.database.url in config/application.yaml");
    }
    assertThat(home.tower("doctor").out()).contains("this home was moved to postgresql://");
    assertThat(move().errorCode()).isEqualTo("home_moved");
    assertThat(home.tower("move --undo --json").errorCode()).isEqualTo("home_moved");
    useFleet();
    ok("unlock prod --request-id r1");
  }

  @Test
  @DisplayName("A dry run changes neither side; objects with the same name on both sides prevent the move")
  void clashes() {
    ok("lock prod --request-id r1");
    ok("mailbox send reviews one --text --id m1");
    Outcome dry = home.run("move", "--to", url, "--dry-run", "--json");
    assertThat(dry.exit()).as(dry.toString()).isZero();
    assertThat(dry.data().raw()).contains("\"dry_run\":true", "\"locks\":1");
    TestHome other = new TestHome(directory.resolve("other")).with("TOWER_DATABASE_URL", url);
    assertThat(other.tower("mailbox send reviews two --text --id m1").exit()).isZero();
    assertThat(other.tower("lock prod --request-id r9").exit()).isZero();

    Outcome refused = move();

    assertThat(refused.errorCode()).isEqualTo("move_clashes");
    assertThat(refused.out()).contains("mailbox_messages: id m1", "lock prod: held in the fleet by request r9");
    ok("heartbeat prod --request-id r1");
    assertThat(other.tower("unlock prod --request-id r9").exit()).isZero();
    assertThat(other.tower("mailbox purge reviews").exit()).isZero();
    assertThat(move().out()).contains("held here with token 1, but the fleet has issued 1000000000001");
    ok("unlock prod --request-id r1");
    Outcome moved = move();
    assertThat(moved.exit()).as(moved.toString()).isZero();
  }

  @Test
  @DisplayName("A lock of a program without fencing tokens, and a live holder, prevent the move")
  void busy() {
    home.foreignLock("prod", TestHome.now(), 900);

    Outcome refused = move();

    assertThat(refused.errorCode()).isEqualTo("home_in_use");
    assertThat(refused.exit()).isEqualTo(2);
    assertThat(refused.out()).contains("lock prod, held by",
        "was written by another program, which would not notice the move; release it");
    ok("lock other --request-id r1");
    ok("force-release prod --reason gone");
    assertThat(move().exit()).isZero();
  }

  @Test
  @DisplayName("A live holder prevents the move; with --drain new work is refused until the holder has ended")
  void drains() throws Exception {
    Process guard = MoveMain.hold(home.root(), "prod");
    Await.until("it holds the lock", () -> Files.exists(home.lockFile("prod")));
    assertThat(move().errorCode()).isEqualTo("home_in_use");
    ok("lock before --request-id r0");
    ok("mailbox send reviews one --text");
    ok("task create first --agent ann --request-id t1 --json");
    CompletableFuture<Outcome> moving = CompletableFuture
        .supplyAsync(() -> home.run("move", "--to", url, "--drain", "1m", "--json"));
    Await.until("it drains", () -> Files.exists(home.locks().resolve(".moving")));

    Outcome refused = home.tower("lock other --request-id r1");
    assertThat(refused.exit()).isEqualTo(69);
    assertThat(refused.err()).contains("this home is about to move to postgresql://", "starts no new work");
    for (String work : List.of("mailbox receive reviews", "task claim --agent bob --request-id c1")) {
      assertThat(home.tower(work).err()).as(work).contains("this home is about to move to postgresql://");
    }
    ok("heartbeat before --request-id r0");
    ok("unlock before --request-id r0");
    assertThat(moving).isNotDone();
    guard.destroy();

    Outcome moved = moving.get();
    assertThat(moved.exit()).as(moved.toString()).isZero();
    assertThat(moved.err()).contains("waiting for lock prod, held by");
    Await.exitOf(guard);
    useFleet();
    ok("lock other --request-id r1");
  }

  @Test
  @DisplayName("A drain that takes too long restores the home")
  void drainEnds() {
    home.foreignLock("prod", TestHome.now(), 900);
    Outcome refused = home.run("move", "--to", url, "--drain", "1s", "--json");
    assertThat(refused.errorCode()).isEqualTo("home_in_use");
    ok("lock other --request-id r1");
    ok("task create first --agent ann --request-id t1 --json");
    ok("task claim --agent bob --request-id c1 --json");
  }

  @Test
  @DisplayName("A process that opened the stores before the move gets the same refusal from each of them")
  void openHandles() {
    try (
        Home open = new Home(home.root(), Map.of("TOWER_LOCK_INSECURE_DIRECTORY", "true"), _ -> {}, Home.Listener.NONE);
        Mailboxes mailboxes = open.mailboxes();
        Tasks tasks = open.tasks()) {
      MailboxName reviews = new MailboxName("reviews");
      mailboxes.send(new MailboxCommand.Send(reviews, new MessageId("m1"), MessageBody.text("one"), null,
          OptionalInt.empty(), null));
      open.freezes().freeze(freeze("before"), Door.CLI);
      ok("lock held --request-id r1");
      assertThat(move().exit()).isZero();

      for (ThrowingCallable call : List.<ThrowingCallable>of(() -> open.freezes().freeze(freeze("after"), Door.CLI),
          () -> open.halts().place(new HaltRequest("after", new RequestId("h1"), Halt.Scope.ALL, Halt.Level.ADMIT,
              "ann", null, "upgrade", null), Door.CLI),
          () -> open.freezes().unfreeze(ANN, new LeaseName("before"), new RequestId("u1")),
          () -> open.locks().acquire(request("held")), () -> open.locks().view(new LeaseName("held")),
          () -> mailboxes.purge(reviews, ANN), mailboxes::counts, () -> tasks.perform(
              new TaskCommand.Call(new Agent("bob"), new RequestId("c1"), null),
              new TaskCommand.Claim(null, Ttl.DEFAULT, false)))) {
        assertThatThrownBy(call).isInstanceOf(StorageException.class)
            .hasMessageContaining("this home was moved to postgresql://localhost");
      }
    }
  }

  private static AcquireRequest request(String name) {
    return TestRequest.of(new LeaseName(name), new RequestId("r9"),
        new Holder("ann", "manual", "none", "host", 1, false),
        Ttl.DEFAULT, false);
  }

  private static FreezeRequest freeze(String name) {
    return new FreezeRequest(new LeaseName(name), new RequestId("f-" + name), "ann", "upgrade", Ttl.DEFAULT, null);
  }

  @Test
  @DisplayName("Every table of the home's database is moved, or known to stay")
  void tables() {
    ok("mailbox send reviews one --text");
    assertThat(sqlite()
        .look("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"))
        .containsExactlyInAnyOrder("runs", "tasks", "task_dependencies", "task_events", "task_requests", "task_agents",
            "mailbox_messages", "schema_versions", "schema_additions", "run_requests",
            "standing_approvals", "refusals");
  }

  @Test
  @DisplayName("Bad options are refused with the nearest valid form")
  void badOptions() {
    assertThat(home.run("move", "--to", "postgres://u:SECRET@db/tower").err())
        .contains("--to must be the URL of a PostgreSQL database, jdbc:postgresql://HOST/NAME, starting with jdbc:")
        .doesNotContain("SECRET");
    assertThat(home.tower("move").err()).contains("--to is required");
    assertThat(home.tower("move --undo --drain").err()).contains("--undo takes neither --dry-run nor --drain");
    assertThat(home.run("move", "--to", "jdbc:postgresql://localhost:1/x?user=u&password=SECRET").err())
        .contains("cannot be reached").doesNotContain("SECRET");
    ok("lock prod --request-id r1");
    assertThat(ok("move --undo").err()).contains("no move of this home has started");
  }

  @Test
  @DisplayName("A process killed at any step leaves a home that a second call moves or restores")
  void killed() throws IOException {
    for (String step : some(List.of("LOCKS_FROZEN", "COPIED", "COMMITTED", "MARKED", "FROZEN", "COPYING"))) {
      killedThenMoved(step);
    }
    for (String step : some(List.of("DRAINING", "COPYING", "FROZEN", "MARKED", "LOCKS_FROZEN", "COPIED"))) {
      killedThenUndone(step);
    }
  }

  /** The steps that differ most; all of them in the longer profile. */
  private static List<String> some(List<String> steps) {
    return steps.subList(0, Extent.of(2, steps.size()));
  }

  private TestHome killedAt(String step, String database) throws IOException {
    TestHome dying = new TestHome(directory.resolve(step + database.hashCode()));
    assertThat(dying.tower("lock prod --request-id r1").exit()).isZero();
    assertThat(dying.tower("mailbox send reviews one --text").exit()).isZero();
    if (step.equals("DRAINING")) {
      dying.foreignLock("foreign", TestHome.now(), 900);
    }
    assertThat(MoveMain.run(dying.root(), database, step, "move")).as(step).isEqualTo(MoveMain.DEAD);
    return dying;
  }

  private void killedThenMoved(String step) throws IOException {
    String database = PostgresServer.newDatabase();
    TestHome dying = killedAt(step, database);
    for (String setting : List.of("", database)) {
      Outcome refused = dying.with("TOWER_DATABASE_URL", setting).tower("lock other --request-id r2");
      assertThat(refused.exit()).as(step + " " + refused).isEqualTo(69);
      assertThat(refused.err()).contains("this home is being moved to postgresql://");
    }
    Outcome moved = dying.with("TOWER_DATABASE_URL", "").run("move", "--to", database);
    assertThat(moved.exit()).as(step + " " + moved).isZero();
    dying.with("TOWER_DATABASE_URL", database);
    assertThat(dying.tower("lock prod --request-id r2 --json").errorCode()).isEqualTo("lock_blocked");
    assertThat(dying.tower("heartbeat prod --request-id r1").exit()).isZero();
    assertThat(new DirectTables(database).look("SELECT mailbox FROM mailbox_messages")).containsExactly("reviews");
    assertThat(new DirectTables(database).look("SELECT state FROM moved_homes")).containsExactly("moved");
  }

  private void killedThenUndone(String step) throws IOException {
    String database = PostgresServer.newDatabase();
    TestHome dying = killedAt(step, database);
    assertThat(dying.tower("lock other --request-id r2").exit()).isEqualTo(69);
    for (String last : List.of("UNDOING", "DATABASE_RESUMED").subList(0, step.equals("COPYING") ? 2 : 0)) {
      assertThat(MoveMain.run(dying.root(), database, last, "undo")).as(last).isEqualTo(MoveMain.DEAD);
      assertThat(dying.tower("lock other --request-id r2").err()).contains("this home is being moved to");
    }
    Outcome undone = dying.run("move", "--undo", "--to", database);
    assertThat(undone.exit()).as(step + " " + undone).isZero();
    assertThat(dying.tower("heartbeat prod --request-id r1").exit()).isZero();
    assertThat(dying.tower("lock other --request-id r2").exit()).isZero();
    assertThat(dying.tower("mailbox receive reviews").exit()).isZero();
    assertThat(new DirectTables(database).look("SELECT name FROM locks")).isEmpty();
    assertThat(new DirectTables(database).look("SELECT state FROM moved_homes"))
        .isEqualTo(step.startsWith("COP") ? List.of("undone") : List.of());
  }

  @ParameterizedTest
  @ValueSource(strings = {"taken", "another's", "removed"})
  @DisplayName("If a program that does not follow the protocol changes locks during the copy, nothing is moved; a second "
      + "move without it succeeds")
  void changedDuringTheCopy(String change) throws IOException {
    ok("lock held --request-id r1");
    String before = home.lockText("held");

    assertThatThrownBy(() -> moveWith(() -> {
      switch (change) {
        case "taken" -> home.foreignLock("free", TestHome.now(), 900);
        case "another's" -> home.foreignLock("held", TestHome.now(), 900);
        default -> Files.delete(home.lockFile("held"));
      }
    })).isInstanceOf(StorageException.class).hasMessage("a program that does not follow the lock protocol changed locks"
        + " during the move; stop it, then run `tower move` again");

    assertThat(tables.look("SELECT state FROM moved_homes")).isEmpty();
    assertThat(tables.look("SELECT name FROM locks")).isEmpty();
    assertThat(home.tower("lock other --request-id r2").err()).contains("this home is being moved to");
    home.rawLock("held", before);
    Files.deleteIfExists(home.lockFile("free"));
    assertThat(move().exit()).isZero();
    useFleet();
    ok("unlock held --request-id r1");
    ok("lock free --request-id r3");
  }

  private interface Change {
    void make() throws IOException;
  }

  /** Moves the home, which is changed when its copy begins. */
  private void moveWith(Change change) {
    try (
        Home moving = new Home(home.root(), Map.of("TOWER_LOCK_INSECURE_DIRECTORY", "true"), _ -> {},
            Home.Listener.NONE);
        HomeMove move = moving.upkeep().move(step -> {
          if (step == MoveStep.COPYING) {
            try {
              change.make();
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          }
        })) {
      move.move(new HomeMove.Request(url, () -> moving.newRequestId().value(), Duration.ZERO, _ -> {}));
    }
  }

  @Test
  @DisplayName("Clients that hold and take a lock during the move never overlap, and their tokens grow")
  @ProofsProfile
  void hammered() throws IOException {
    ok("locks");
    Path work = Files.createDirectories(directory.resolve("work"));
    List<Process> clients = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      clients.add(MoveHammerMain.start(home.root(), url, work, "client-" + i));
    }
    Await.until("both have had the lock",
        () -> Files.exists(work.resolve("client-0.had")) && Files.exists(work.resolve("client-1.had")));

    Outcome moved = home.run("move", "--to", url);
    Files.createFile(work.resolve("end"));

    assertThat(moved.exit()).as(moved.toString()).isZero();
    for (Process client : clients) {
      assertThat(Await.exitOf(client)).isZero();
    }
    List<Long> tokens = Files.readAllLines(work.resolve("tokens")).stream().map(Long::parseLong).toList();
    assertThat(tokens).isSorted().doesNotHaveDuplicates().hasSizeGreaterThan(10);
    assertThat(tables.look("SELECT token FROM locks WHERE name = 'hot'"))
        .containsExactly(Long.toString(tokens.getLast()));
  }
}
