package fleet.tower.foreign.file;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;

import fleet.tower.foreign.ForeignLock;
import fleet.tower.foreign.ForeignName;
import fleet.tower.foreign.ProcessProbe;
import fleet.tower.platform.Examination;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;

/**
 * Factory of foreign locks on files.
 *
 * @param root the base of relative paths
 */
public record ForeignFiles(Path root, TimeSource time, Scheduler scheduler) {

  /** Opens the foreign locks of this host. */
  public ForeignLock.Opener opener() {
    return this::open;
  }

  /** The processes of this machine. */
  public ProcessProbe processes() {
    return new HostProcessProbe();
  }

  /** The health check of the named locks. */
  public Examination examination(Supplier<List<ForeignName>> named) {
    return new ForeignExamination(named, opener(), this::path);
  }

  private ForeignLock open(ForeignName name) {
    Path path = path(name);
    return switch (name.kind()) {
      case BEADS -> new BeadsLock(path, new HostProcessProbe(), time, scheduler);
      case FLOCK -> new FlockLock(path);
      case TERRAFORM -> new TerraformLock(path, time, scheduler);
      case PIDFILE -> new PidFileLock(path, new HostProcessProbe(), time, scheduler);
    };
  }

  private Path path(ForeignName name) {
    return root.resolve(name.path()).toAbsolutePath().normalize();
  }
}
