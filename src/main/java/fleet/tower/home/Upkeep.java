package fleet.tower.home;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import fleet.tower.audit.AuditDays;
import fleet.tower.foreign.ForeignName;
import fleet.tower.home.doctor.Doctor;
import fleet.tower.home.move.MoveMark;
import fleet.tower.home.retention.Ages;
import fleet.tower.home.retention.Retention;
import fleet.tower.intent.Catalogue;
import fleet.tower.intent.CatalogueExamination;
import fleet.tower.intent.Intent;
import fleet.tower.lock.LocksExamination;
import fleet.tower.lock.Replication;
import fleet.tower.platform.Schema;
import fleet.tower.platform.check.Examination;
import fleet.tower.platform.check.Finding;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.time.ClockExamination;
import fleet.tower.run.RunStore;
import fleet.tower.run.members.AgreementExamination;
import fleet.tower.run.members.InterruptedRunsExamination;
import fleet.tower.run.process.StepProcesses;

/** The maintenance of a home: health checks and retention. */
public final class Upkeep {
  private final Home home;

  Upkeep(Home home) {
    this.home = home;
  }

  /** The health checks of all parts of the home. */
  public Doctor doctor() {
    Optional<MoveMark> moved = home.moved();
    if (moved.isPresent()) {
      return new Doctor(List.of(new HomeExamination(home.root()), () -> List.of(Finding.fail("home",
          moved.get().message(), "see docs/move-to-a-fleet.md"))));
    }
    Catalogue catalogue = home.intentFiles().catalogue();
    return new Doctor(List.of(
        new JavaExamination(Runtime.version(), System.getProperty("java.class.path", ""), home::setting),
        new HomeExamination(home.root()), home.protection(), new SpaceExamination(home.root()),
        home.storage(), new LocksExamination(home.lockStore(), home.holders()), home.waiters(),
        new InterruptedRunsExamination(home::recordedRuns, home.executors(), home.time()),
        home.auditFiles().examination(), home.tokensExamination(),
        home.sqlRuns().examination(), home.sqlTasks().examination(), home.sqlMailboxes().examination(),
        new CatalogueExamination(catalogue), agreement(),
        home.foreignFiles().examination(() -> foreignNames(catalogue)),
        StepProcesses.examination(home.root(), home.setting("PATH").orElse(null)), new ClockExamination(home.time())));
  }

  /** A check whether the live services of a fleet have the same intents. */
  private Examination agreement() {
    return home.fleet().isShared() ? new AgreementExamination(home::intentDifferences) : List::of;
  }

  /**
   * A check whether a lock could be acquired or renewed now, as far as files are concerned; probes each time it runs.
   */
  public Examination lockWriting() {
    return home.isFleet() ? List::of : home.fileLocks().writing();
  }

  /**
   * A check whether runs, tasks and a fleet's locks could be written to their database now; probes each time it runs.
   */
  public Examination databaseReach() {
    return home.sqlRuns().reach();
  }

  /** The tables of the home's database, or of the database of another URL; a configured URL needs no home. */
  public Schema schema(Optional<String> url) {
    return Database.schema(url.or(() -> Settings.DATABASE_URL.given(home::setting)).orElseGet(home::databaseUrl));
  }

  /** Whether a standby that takes over would know every granted lock. */
  public Replication replication() {
    return home.isFleet() ? home.fleet().replication(home.longestInterval()) : Replication.NONE;
  }

  /** How long ended runs and past events are kept. */
  public Ages ages() {
    return home.ages();
  }

  /** Removes what is older; use it while the store of runs is open. */
  public Retention retention(RunStore runs, Ages ages) {
    return new Retention(runs, StepProcesses.outputs(home.outputs()), auditDays(), home.locks(),
        home.time(),
        home.scheduler(), ages);
  }

  /** With locks in each host's files, unfinished work of other hosts is unknown. */
  private AuditDays auditDays() {
    AuditDays own = home.auditFiles().days();
    return home.fleet().isShared() ? home.fleetLog().days(own, home.isFleet()) : own;
  }

  /** The store of runs, for processes that execute none; the caller closes it. */
  public RunStore records() {
    return home.sqlRuns().open();
  }

  /** The foreign locks that intents name independently of their parameters. */
  static List<ForeignName> foreignNames(Catalogue catalogue) {
    return catalogue.list().stream().map(Intent::controls)
        .flatMap(controls -> Stream.concat(controls.respect().stream(), controls.exclusive().stream()))
        .filter(template -> template.references().isEmpty())
        .map(template -> ForeignName.parse(template.resolve(_ -> ""))).distinct().toList();
  }
}
