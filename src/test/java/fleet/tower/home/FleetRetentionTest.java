package fleet.tower.home;

import static fleet.tower.lease.Actors.ACTOR;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.audit.AuditLog;
import fleet.tower.audit.AuditTrail;
import fleet.tower.audit.AuditTrailContract;
import fleet.tower.audit.FleetAuditLog;
import fleet.tower.audit.jsonl.AuditFiles;
import fleet.tower.audit.sql.SqlAudit;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.Owner;
import fleet.tower.lease.RenewalSchedule;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.Locks;
import fleet.tower.lock.ReleaseOutcome;
import fleet.tower.lock.TestLocks;
import fleet.tower.lock.TestRequest;
import fleet.tower.lock.sql.SqlLocks;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.sql.DirectTables;
import fleet.tower.platform.sql.PostgresServer;
import fleet.tower.platform.time.ManualTime;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.run.RunStore;
import fleet.tower.run.process.StepProcesses;
import fleet.tower.run.sql.SqlRuns;

/** Locks are acquired now, by the server's clock; the sweeps run with a clock 500 days ahead. */
@DisplayName("Retention of a fleet: the table of events is kept and pruned like the files")
class FleetRetentionTest {
  private static final LeaseName PROD = new LeaseName("prod");

  private final String url = PostgresServer.newDatabase();
  private final DirectTables tables = new DirectTables(url);
  private final TimeSource time = SystemTime.source();
  private final Instant started = time.now();
  private final LocalDate today = day(started);
  private final ManualTime later = new ManualTime(time.now().plus(Duration.ofDays(500)).toString());
  private final RunStore runs = new SqlRuns(url).open();
  private final Host one;
  private final Host two;

  FleetRetentionTest(@TempDir Path temp) {
    one = new Host("one", temp.resolve("one"));
    two = new Host("two", temp.resolve("two"));
  }

  /** A host of the fleet, with its files and its way to the table. */
  private final class Host implements AutoCloseable {
    private final Path home;
    private final Database database = Database.at(url);
    private final AuditFiles files;
    private final FleetAuditLog common;
    private final AuditLog log;
    private final Locks locks;

    Host(String id, Path home) {
      this.home = home;
      files = new AuditFiles(home.resolve("audit"), SystemTime.scheduler(), _ -> {});
      common = new SqlAudit(database, files.pages(), id, SystemTime.scheduler(), _ -> {}).open();
      log = common.replicating(files.log());
      locks = TestLocks.of(
          new SqlLocks(database, time, SystemTime.scheduler(), RenewalSchedule.DEFAULT_MAX_INTERVAL).open(),
          log, time);
    }

    /** Writes an event of so many days ago. */
    void tell(String requestId, int daysAgo) {
      tell(requestId, started.minus(Duration.ofDays(daysAgo)));
    }

    void tell(String requestId, Instant at) {
      log.write(List.of(AuditTrailContract.acquiredBy(requestId, at)));
    }

    /** All events are in the table. */
    Host brought() {
      AuditTrail.Query all = new AuditTrail.Query(null, null, null, null, null);
      common.trail(files.trail()).page(all, all.page(false, 1, null), 1000);
      return this;
    }

    Retention.Removal sweep(boolean isForAll) {
      Retention retention = new Retention(runs, StepProcesses.outputs(home.resolve("runs")),
          common.days(files.days(), isForAll), locks, later, SystemTime.scheduler(),
          new Retention.Limits(Duration.ZERO, 0, Duration.ofDays(400), Duration.ZERO));
      Retention.Removal announced = retention.preview();
      Retention.Removal removed = retention.expire(Duration.ZERO);
      assertThat(removed).isEqualTo(announced);
      return removed;
    }

    @Override
    public void close() {
      common.finish();
      database.close();
    }
  }

  @AfterEach
  void close() {
    one.close();
    two.close();
    runs.close();
  }

  private List<String> rows() {
    return tables.look("SELECT host_id || ' ' || request_id FROM audit_events ORDER BY host_id, at");
  }

  @Test
  @DisplayName("Old days of all hosts are removed from the table, but none since an unreleased lock was acquired; "
      + "copied events stay known")
  void sweeps() {
    one.tell("r1", 9);
    two.tell("r2", 8);
    // The server's day, which may be the next one already.
    Instant acquired = acquired(two.locks.acquire(TestRequest.by("r3", "prod").request()));
    one.brought();
    two.brought();
    assertThat(rows()).containsExactly("one r1", "two r2", "two r3", "two r3");

    Retention.Removal removed = one.sweep(true);
    assertThat(removed.auditDays()).containsExactly(today.minusDays(9), today.minusDays(8));
    assertThat(removed.auditKept()).isEqualTo("lock prod has not been released since " + day(acquired));
    assertThat(rows()).containsExactly("two r3", "two r3");
    assertThat(one.files.days().all()).isEmpty();
    assertThat(two.files.days().all()).containsExactly(today.minusDays(8), day(acquired));

    two.tell("r4", acquired.plusMillis(1));
    two.brought();
    assertThat(rows()).as("what two still has in its files is not copied again").containsExactly("two r3", "two r3",
        "two r4");
    assertThat(places()).hasSize(2);

    Instant released = released(two.locks.release(ACTOR, PROD, Owner.ofAnyActor(new RequestId("r3")),
        FencingToken.NONE, Locks.Result.SUCCESS, null));
    assertThat(two.sweep(true).auditDays()).containsExactlyElementsOf(
        Stream.of(today.minusDays(8), day(acquired), day(released)).distinct().toList());
    assertThat(rows()).isEmpty();
    assertThat(places()).as("nobody has these pages any more").isEmpty();

    two.tell("r5", released);
    two.brought();
    assertThat(rows()).as("a page that starts over is copied from its beginning").containsExactly("two r5");
  }

  private static LocalDate day(Instant moment) {
    return LocalDate.ofInstant(moment, ZoneOffset.UTC);
  }

  private static Instant acquired(AcquireOutcome outcome) {
    assertThat(outcome).isInstanceOf(AcquireOutcome.Granted.class);
    return ((AcquireOutcome.Granted) outcome).lease().lease().createdAt();
  }

  private static Instant released(ReleaseOutcome outcome) {
    assertThat(outcome).isInstanceOf(ReleaseOutcome.Released.class);
    return ((ReleaseOutcome.Released) outcome).at();
  }

  private List<String> places() {
    return tables.look("SELECT page FROM audit_shipped ORDER BY log_id, page");
  }

  @Test
  @DisplayName("A host with locks on files removes only its own events, because others' unfinished work is unknown")
  void sweepsItsOwn() {
    one.tell("r1", 9);
    two.tell("r2", 8);
    one.brought();
    two.brought();

    assertThat(one.sweep(false).auditDays()).containsExactly(today.minusDays(9));
    assertThat(rows()).containsExactly("two r2");
    assertThat(one.sweep(false).isNothing()).as("with no file left").isTrue();
  }

  @Test
  @DisplayName("Events that are not in the table yet are copied before their file is removed, and not afterwards")
  void bringsFirst() {
    assertThat(one.sweep(true).isNothing()).as("nothing has been recorded").isTrue();
    two.tell("r2", 8);
    assertThat(two.sweep(true).auditDays()).containsExactly(today.minusDays(8));
    assertThat(two.files.days().all()).isEmpty();
    two.brought();
    assertThat(rows()).isEmpty();
  }

  @Test
  @DisplayName("Thousands of events of a day are removed in several steps")
  void manyOfADay() {
    one.tell("r1", 9);
    one.brought();
    tables.change("INSERT INTO audit_events (log_id, page, at_byte, digest, host_id, at, event, line)"
        + " SELECT 'log_x', 'audit', n, '', 'three', at, event, line FROM audit_events, generate_series(1, 12000) n");
    assertThat(one.sweep(true).auditDays()).hasSize(1);
    assertThat(rows()).isEmpty();
  }
}
