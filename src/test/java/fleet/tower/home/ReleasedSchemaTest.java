package fleet.tower.home;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import fleet.tower.audit.AuditTrail;
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
import fleet.tower.task.Task;
import fleet.tower.task.TaskId;
import fleet.tower.task.TaskStatus;
import fleet.tower.task.Tasks;

/**
 * {@code src/test/resources/schemas} has the tables of each released version, with rows in every table: {@code java -cp
 * … fleet.tower.platform.sql.SchemaDump URL} prints a database in this form, with the classes of that version.
 */
@DisplayName("This version reads the databases of every released version")
class ReleasedSchemaTest {
  @TempDir
  private Path temp = Path.of("not-yet");

  static List<String> versions() throws IOException, URISyntaxException {
    Path schemas = Path.of(Objects.requireNonNull(ReleasedSchemaTest.class.getResource("/schemas")).toURI());
    try (Stream<Path> all = Files.list(schemas)) {
      return all.filter(Files::isDirectory).map(version -> version.getFileName().toString()).sorted().toList();
    }
  }

  private Home home(String url) {
    return new Home(temp, Map.of("TOWER_DATABASE_URL", url, "TOWER_HOST_ID", "tower-02",
        "TOWER_LOCK_INSECURE_DIRECTORY", "true"), _ -> {}, Home.Listener.NONE);
  }

  @ParameterizedTest
  @MethodSource("versions")
  @DisplayName("SQLite: runs, tasks with their dependencies, messages with their leases")
  void sqlite(String version) {
    String url = "jdbc:sqlite:" + temp.resolve("tower.db");
    new SchemaDump(url).load("/schemas/" + version + "/sqlite.sql");
    try (Home home = home(url)) {
      findsWork(home);
    }
  }

  @ParameterizedTest
  @MethodSource("versions")
  @DisplayName("PostgreSQL: the same, locks with their tokens, freezes, executors, and every event once")
  void postgresql(String version) {
    String url = PostgresServer.newDatabase();
    new SchemaDump(url).load("/schemas/" + version + "/postgresql.sql");
    // As if it had been frozen just now.
    new DirectTables(url).change("UPDATE locks SET freeze_created_at = EXTRACT(EPOCH FROM clock_timestamp())"
        + " WHERE freeze_request_id IS NOT NULL");
    try (Home home = home(url)) {
      findsWork(home);
      findsLocks(home);
      findsEvents(home);
    }
  }

  private static void findsWork(Home home) {
    RunEngine engine = home.runs().engine();
    Run done = engine.store().find(new RequestId("run-done")).orElseThrow();
    assertThat(done.status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(done.progress().steps()).singleElement().satisfies(step -> assertThat(step.name()).isEqualTo("hello"));
    assertThat(engine.store().find(new RequestId("run-slow"))).get().extracting(Run::status)
        .isEqualTo(RunStatus.RUNNING);
    assertThat(engine.store().unfinished()).hasSize(1);
    if (home.storage().hasSharedLocks()) {
      String executor = engine.store().unfinished().getFirst().executor();
      assertThat(engine.membership().members().find(executor)).get().satisfies(entry -> {
        assertThat(entry.member().hostId()).isEqualTo("tower-01");
        assertThat(entry.isAlive()).isFalse();
      });
    }
    engine.close(Duration.ZERO);
    try (Tasks tasks = home.tasks(); Mailboxes mailboxes = home.mailboxes()) {
      Optional<Task> first = tasks.get(new TaskId("task-1")).map(Task.View::task);
      assertThat(first).get().satisfies(task -> {
        assertThat(task.status()).isEqualTo(TaskStatus.IN_PROGRESS);
        assertThat(task.spec().title()).isEqualTo("First task");
        assertThat(task.attempt()).isEqualTo(1);
      });
      assertThat(tasks.get(new TaskId("task-2")).orElseThrow().task().spec().dependsOn())
          .containsExactly(new TaskId("task-1"));
      assertThat(mailboxes.count(new MailboxName("work")).toString()).contains("2");
      assertThat(mailboxes.counts()).hasSize(2);
    }
  }

  private static void findsLocks(Home home) {
    assertThat(home.locks().view(new LeaseName("prod")).leaseState()).isInstanceOfSatisfying(LeaseState.Held.class,
        held -> assertThat(held.lease().requestId() + " " + held.lease().token() + " " + held.lease().holder().actor())
            .isEqualTo("req-prod 1 ann"));
    assertThat(home.locks().acquire(TestRequest.by("req-next", "again").request()))
        .isInstanceOfSatisfying(AcquireOutcome.Granted.class,
            granted -> assertThat(granted.lease().lease().token().value()).isGreaterThan(1));
    assertThat(home.locks().acquire(TestRequest.by("req-cold", "cold").request()))
        .isInstanceOfSatisfying(AcquireOutcome.Refused.class,
            refused -> assertThat(refused.refusal()).isInstanceOfSatisfying(Decision.Frozen.class,
                frozen -> assertThat(frozen.actor() + ": " + frozen.reason()).isEqualTo("ann: a migration")));
  }

  private static void findsEvents(Home home) {
    List<String> events = new ArrayList<>();
    home.auditTrail().read(new AuditTrail.Query(null, null, "run-done", null, null),
        entry -> events.add(entry.event()));
    assertThat(events).containsExactly("lock_acquired", "run_started", "lock_released", "run_finished");
  }
}
