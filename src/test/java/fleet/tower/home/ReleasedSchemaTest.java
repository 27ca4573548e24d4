package fleet.tower.home;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import fleet.tower.audit.AuditTrail;
import fleet.tower.harness.TestHome;
import fleet.tower.lease.Decision;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseState;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.TestRequest;
import fleet.tower.mailbox.MailboxName;
import fleet.tower.mailbox.Mailboxes;
import fleet.tower.platform.sql.DirectTables;
import fleet.tower.platform.sql.PostgresServer;
import fleet.tower.platform.sql.SchemaDump;
import fleet.tower.run.Run;
import fleet.tower.run.RunStatus;
import fleet.tower.run.StepRecord;
import fleet.tower.task.Task;
import fleet.tower.task.TaskId;
import fleet.tower.task.TaskStatus;
import fleet.tower.task.Tasks;

/**
 * {@code src/test/resources/released} may have a directory for each released version with the dumps {@code sqlite.sql}
 * and {@code postgresql.sql}, after the commands of {@link #FILL}: {@code java -cp …
 * fleet.tower.platform.sql.SchemaDump URL} prints a database in this form, with the classes of that version. This
 * version's own dump stands beside them.
 */
@DisplayName("This version reads the databases of every released version")
class ReleasedSchemaTest {
  private static final String OWN = "own";
  private static final List<String> FILL = List.of("run hello -p name=Ada --request-id run-done",
      "run hello -p name=Bob --request-id run-queued --queue",
      "task create First --agent ann --request-id t1 --id task-1",
      "task create Second --agent ann --request-id t2 --id task-2 -d task-1",
      "task claim --agent ann --request-id t3", "mailbox send work one", "mailbox send work two",
      "mailbox send other three", "mailbox receive other", "lock prod --request-id req-prod",
      "freeze cold --ttl 1h --reason migration");

  @TempDir
  private Path temp = Path.of("not-yet");

  static List<String> versions() throws IOException, URISyntaxException {
    Path released = Path.of(Objects.requireNonNull(ReleasedSchemaTest.class.getResource("/released")).toURI());
    try (Stream<Path> all = Files.list(released)) {
      return Stream.concat(Stream.of(OWN), all.filter(Files::isDirectory).map(each -> each.getFileName().toString()))
          .sorted().toList();
    }
  }

  private Home home(String url) {
    return new Home(temp, Map.of("TOWER_DATABASE_URL", url, "TOWER_HOST_ID", "tower-02",
        "TOWER_LOCK_INSECURE_DIRECTORY", "true"), _ -> {}, Home.Listener.NONE);
  }

  private List<String> dump(String version, String kind, String url) throws IOException, SQLException {
    if (!version.equals(OWN)) {
      try (InputStream in = ReleasedSchemaTest.class.getResourceAsStream("/released/" + version + "/" + kind)) {
        return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8).lines().toList();
      }
    }
    Path root = temp.resolve("filled");
    new NewHome(root).create();
    TestHome home = new TestHome(root).with("TOWER_DATABASE_URL", url).with("TOWER_ACTOR", "ann");
    FILL.forEach(line -> assertThat(home.tower(line)).as(line).extracting(TestHome.Outcome::exit).isEqualTo(0));
    return new SchemaDump(url).lines();
  }

  @ParameterizedTest
  @MethodSource("versions")
  @DisplayName("SQLite: runs, tasks with their dependencies, messages with their leases")
  void sqlite(String version) throws IOException, SQLException {
    List<String> dump = dump(version, "sqlite.sql", "jdbc:sqlite:" + temp.resolve("old.db"));
    String url = "jdbc:sqlite:" + temp.resolve("tower.db");
    new SchemaDump(url).load(dump);
    try (Home home = home(url)) {
      findsWork(home);
    }
  }

  @ParameterizedTest
  @MethodSource("versions")
  @DisplayName("PostgreSQL: the same, locks with their tokens, freezes, and every event once")
  void postgresql(String version) throws IOException, SQLException {
    List<String> dump = dump(version, "postgresql.sql", PostgresServer.newDatabase());
    String url = PostgresServer.newDatabase();
    new SchemaDump(url).load(dump);
    // As if it had been frozen just now.
    new DirectTables(url).change("UPDATE locks SET freeze_created_at = EXTRACT(EPOCH FROM clock_timestamp())"
        + " WHERE freeze_request_id IS NOT NULL");
    try (Home home = home(url)) {
      findsWork(home);
      findsLocks(home);
      findsEvents(home);
    }
  }

  @Test
  @DisplayName("A row that this version cannot read is found")
  void unreadable() throws IOException, SQLException {
    List<String> dump = dump(OWN, "sqlite.sql", "jdbc:sqlite:" + temp.resolve("old.db"));
    String url = "jdbc:sqlite:" + temp.resolve("tower.db");
    new SchemaDump(url).load(dump.stream().map(line -> line.replace("\"name\":\"announce\"", "\"label\":\"announce\""))
        .toList());
    try (Home home = home(url)) {
      assertThatThrownBy(() -> findsWork(home)).hasMessageContaining("run-done");
    }
  }

  private static void findsWork(Home home) {
    RunEngine engine = home.runs().engine();
    Run done = engine.store().find(new RequestId("run-done")).orElseThrow();
    assertThat(done.status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(done.progress().steps()).extracting(StepRecord::name).containsExactly("announce", "write", "check");
    assertThat(engine.store().find(new RequestId("run-queued"))).get().extracting(Run::status)
        .isEqualTo(RunStatus.WAITING);
    assertThat(engine.store().unfinished()).hasSize(1);
    engine.close(Duration.ZERO);
    try (Tasks tasks = home.tasks(); Mailboxes mailboxes = home.mailboxes()) {
      Optional<Task> first = tasks.get(new TaskId("task-1")).map(Task.View::task);
      assertThat(first).get().satisfies(task -> {
        assertThat(task.status()).isEqualTo(TaskStatus.IN_PROGRESS);
        assertThat(task.spec().title()).isEqualTo("First");
        assertThat(task.attempt()).isEqualTo(1);
      });
      assertThat(tasks.get(new TaskId("task-2")).orElseThrow().task().spec().dependsOn())
          .containsExactly(new TaskId("task-1"));
      assertThat(mailboxes.count(new MailboxName("work")).toString()).contains("2");
      assertThat(mailboxes.counts()).extracting(count -> count.mailbox().toString()).containsExactlyInAnyOrder("other",
          "tower-runs", "work");
    }
  }

  private static void findsLocks(Home home) {
    assertThat(home.locks().view(new LeaseName("prod")).leaseState()).isInstanceOfSatisfying(LeaseState.Held.class,
        held -> assertThat(held.lease().requestId() + " " + held.lease().token() + " " + held.lease().holder().actor())
            .isEqualTo("req-prod 1000000000001 ann"));
    assertThat(home.locks().acquire(TestRequest.by("req-next", "next").request()))
        .isInstanceOfSatisfying(AcquireOutcome.Granted.class,
            granted -> assertThat(granted.lease().lease().token().value()).isGreaterThan(1));
    assertThat(home.locks().acquire(TestRequest.by("req-cold", "cold").request()))
        .isInstanceOfSatisfying(AcquireOutcome.Refused.class,
            refused -> assertThat(refused.refusal()).isInstanceOfSatisfying(Decision.Frozen.class,
                frozen -> assertThat(frozen.actor() + ": " + frozen.reason()).isEqualTo("ann: migration")));
  }

  private static void findsEvents(Home home) {
    List<String> events = new ArrayList<>();
    home.auditTrail().read(new AuditTrail.Query(null, null, "run-done", null, null),
        entry -> events.add(entry.event()));
    assertThat(events).containsExactly("lock_acquired", "lock_actor", "run_started", "lock_released", "lock_actor",
        "run_finished");
  }
}
