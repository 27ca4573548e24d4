package fleet.tower.cli;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

import fleet.tower.audit.AuditTrail;
import fleet.tower.audit.jsonl.AuditFiles;
import fleet.tower.doctor.ClockExamination;
import fleet.tower.doctor.Doctor;
import fleet.tower.doctor.LocksExamination;
import fleet.tower.intent.yaml.IntentFiles;
import fleet.tower.lease.Holder;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.LockStore;
import fleet.tower.lock.Locks;
import fleet.tower.lock.file.FileLocks;
import fleet.tower.presence.Presence;
import fleet.tower.presence.file.ProcessFiles;
import fleet.tower.time.Scheduler;
import fleet.tower.time.TimeSource;
import fleet.tower.time.system.SystemTime;
import fleet.tower.waiting.file.LineFiles;

/** The home on this host's files, put together for one command: everything is made when it is asked for. */
final class Home implements AutoCloseable {
  private final Map<String, String> environment;
  private final Consumer<String> warnings;
  private final Path root;
  private final TimeSource time = SystemTime.source();
  private final Scheduler scheduler = SystemTime.scheduler();
  private final Presence presence;

  Home(Map<String, String> environment, Consumer<String> warnings) {
    this.environment = environment;
    this.warnings = warnings;
    this.root = Path.of(environment.getOrDefault("TOWER_HOME", "")).toAbsolutePath().normalize();
    this.presence = new ProcessFiles(root.resolve("state/processes")).open();
  }

  /** Shows no longer that this process lives, if it did. */
  @Override
  public void close() {
    presence.close();
  }

  Path root() {
    return root;
  }

  TimeSource time() {
    return time;
  }

  Scheduler scheduler() {
    return scheduler;
  }

  Locks locks() {
    return new Locks(lockStore(), auditFiles().log(), time, new LineFiles(locksDirectory(), presence, warnings).open());
  }

  AuditTrail auditTrail() {
    return auditFiles().trail();
  }

  IntentFiles intentFiles() {
    return new IntentFiles(root.resolve("intents"), time);
  }

  Doctor doctor() {
    return new Doctor(List.of(new HomeExamination(root), fileLocks().examination(), new LocksExamination(lockStore()),
        auditFiles().examination(), new ClockExamination(time)));
  }

  /** Who is asking: {@code actor} where it was given, else the environment's word, else the user. */
  String actor(Optional<String> actor) {
    return actor.or(() -> setting("TOWER_ACTOR")).orElseGet(() -> System.getProperty("user.name", "unknown"));
  }

  /** The holder that this process would be. */
  Holder holder(String actor, String intent, String intentVersion, long pid) {
    return new Holder(actor, intent, intentVersion, hostId(), pid);
  }

  RequestId newRequestId() {
    return RequestId.random(new SecureRandom());
  }

  /** A value of the environment that is not empty. */
  Optional<String> setting(String name) {
    return Optional.ofNullable(environment.get(name)).filter(value -> !value.isEmpty());
  }

  private LockStore lockStore() {
    return fileLocks().open();
  }

  private FileLocks fileLocks() {
    boolean insecure = setting("TOWER_LOCK_INSECURE_DIRECTORY").or(() -> setting("TOWER_LOCK_INSECUREDIRECTORY"))
        .map(Boolean::parseBoolean).orElse(false);
    return new FileLocks(locksDirectory(), insecure, time, scheduler, auditFiles().log(), warnings);
  }

  private Path locksDirectory() {
    return root.resolve("logs/locks");
  }

  private AuditFiles auditFiles() {
    if (setting("TOWER_URL").isPresent()) {
      throw new NoServer();
    }
    return new AuditFiles(root.resolve("logs/audit"), scheduler, warnings);
  }

  private String hostId() {
    return setting("TOWER_HOST_ID").or(Home::kernelHostName).or(() -> setting("HOSTNAME")).orElseGet(Home::netHostName);
  }

  private static Optional<String> kernelHostName() {
    try {
      return Optional.of(Files.readString(Path.of("/proc/sys/kernel/hostname")).strip())
          .filter(name -> !name.isEmpty());
    } catch (IOException notLinux) {
      return Optional.empty();
    }
  }

  private static String netHostName() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (IOException unknown) {
      return "unknown";
    }
  }
}
