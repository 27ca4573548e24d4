package fleet.tower.home;

import java.util.List;
import java.util.stream.Stream;

import fleet.tower.audit.AuditDays;
import fleet.tower.foreign.ForeignName;
import fleet.tower.home.doctor.Doctor;
import fleet.tower.home.retention.Ages;
import fleet.tower.home.retention.Retention;
import fleet.tower.intent.Catalogue;
import fleet.tower.intent.CatalogueExamination;
import fleet.tower.intent.Intent;
import fleet.tower.lock.LocksExamination;
import fleet.tower.lock.Replication;
import fleet.tower.platform.check.Examination;
import fleet.tower.platform.time.ClockExamination;
import fleet.tower.run.RunStore;
import fleet.tower.run.process.StepProcesses;

/** What keeps a home in order: looks at what it is made of, whether its places work, and throws away what is old. */
public final class Upkeep {
  private final Home home;

  Upkeep(Home home) {
    this.home = home;
  }

  /** Looks at all that the home is made of. */
  public Doctor doctor() {
    Catalogue catalogue = home.intentFiles().catalogue();
    return new Doctor(List.of(
        new JavaExamination(Runtime.version(), System.getProperty("java.class.path", ""), home::setting),
        new HomeExamination(home.root()), home.protection(), new SpaceExamination(home.root()),
        home.places(), new LocksExamination(home.lockStore()), home.company(),
        home.auditFiles().examination(), home.accessFiles().examination(),
        home.sqlRuns().examination(), home.sqlTasks().examination(), home.sqlMailboxes().examination(),
        new CatalogueExamination(catalogue),
        home.foreignFiles().examination(() -> foreignNames(catalogue)),
        StepProcesses.examination(home.root(), home.setting("PATH").orElse(null)), new ClockExamination(home.time())));
  }

  /** Looks whether a lock could be taken or renewed now, as far as files matter for that, as often as it is asked. */
  public Examination lockWriting() {
    return home.isFleet() ? List::of : home.fileLocks().writing();
  }

  /** Looks whether runs and tasks, and a fleet's locks, could be written to their database now, as often as it is asked. */
  public Examination databaseReach() {
    return home.sqlRuns().reach();
  }

  /** Looks whether a standby that takes over would know every lock that was granted. */
  public Replication replication() {
    return home.isFleet() ? home.fleet().replication(home.longestInterval()) : Replication.NONE;
  }

  /** For how long what has ended is kept. */
  public Ages ages() {
    return home.limits().ages();
  }

  /** What throws away what is older than that; to be used while the records of the runs are open. */
  public Retention retention(RunStore runs, Ages ages) {
    return new Retention(runs, StepProcesses.outputs(home.outputs()), auditDays(), home.locks(),
        home.time(),
        home.scheduler(), ages);
  }

  /** Where locks are on each host's files, nobody knows what of another host is not over. */
  private AuditDays auditDays() {
    AuditDays own = home.auditFiles().days();
    return home.fleet().isShared() ? home.commonLog().days(own, home.isFleet()) : own;
  }

  /** The records of the runs, for who executes none; to be closed by who has asked for them. */
  public RunStore records() {
    return home.sqlRuns().open();
  }

  /** The foreign locks that intents name whatever their parameters. */
  static List<ForeignName> foreignNames(Catalogue catalogue) {
    return catalogue.list().stream().map(Intent::controls)
        .flatMap(controls -> Stream.concat(controls.respect().stream(), controls.exclusive().stream()))
        .filter(template -> template.references().isEmpty())
        .map(template -> ForeignName.parse(template.resolve(_ -> ""))).distinct().toList();
  }
}
