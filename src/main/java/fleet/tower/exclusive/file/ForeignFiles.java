package fleet.tower.exclusive.file;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;

import fleet.tower.doctor.Examination;
import fleet.tower.exclusive.ForeignLock;
import fleet.tower.exclusive.ForeignName;
import fleet.tower.time.Scheduler;
import fleet.tower.time.TimeSource;

/**
 * Opens foreign locks on files.
 *
 * @param root what paths that do not begin with a slash are below
 */
public record ForeignFiles(Path root, TimeSource time, Scheduler scheduler) {

  /** The locks of this host. */
  public ForeignLock.Opener opener() {
    return this::open;
  }

  /** What the doctor looks at here: the locks that are named. */
  public Examination examination(Supplier<List<ForeignName>> named) {
    return new ForeignExamination(named, opener(), this::path);
  }

  private ForeignLock open(ForeignName name) {
    Path path = path(name);
    return switch (name.kind()) {
      case BEADS -> new BeadsLock(path, new HostWitness(), time, scheduler);
      case FLOCK -> new FlockLock(path);
      case TERRAFORM -> new TerraformLock(path, time, scheduler);
      case PIDFILE -> new PidFileLock(path, new HostWitness(), time, scheduler);
    };
  }

  private Path path(ForeignName name) {
    return root.resolve(name.path()).toAbsolutePath().normalize();
  }
}
