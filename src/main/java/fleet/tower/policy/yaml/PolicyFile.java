package fleet.tower.policy.yaml;

import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.disk.WriteAccess;
import fleet.tower.platform.time.CachedValue;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.platform.yaml.Complaint;
import fleet.tower.platform.yaml.Complaints;
import fleet.tower.platform.yaml.LoadedFile;
import fleet.tower.platform.yaml.Node;
import fleet.tower.platform.yaml.SourceFile;
import fleet.tower.platform.yaml.YamlSchema;
import fleet.tower.policy.Policy;
import fleet.tower.policy.PolicySource;

/**
 * The current content of {@code config/policy.yaml}, re-read on access after a short time. Unlike other files, an
 * invalid one does not leave the last valid content in force: a rule that cannot be read may be against anything.
 *
 * <p>Write access to it is the right to lift every rule, so only this user and root may have it.
 */
final class PolicyFile implements PolicySource {
  private static final Duration FRESH = Duration.ofMillis(400);

  private static final Duration PAUSE = Duration.ofMillis(50);
  /** An editor that does not come to an end is not waited for. */
  private static final int MOST_PAUSES = 20;

  private final Path path;
  private final boolean isTrusted;
  private final TimeSource time;
  private final Scheduler scheduler;
  private final CachedValue<LoadedFile<Policy>> cached;

  /** @param isTrusted whether others may write it, as in a container with a single user */
  PolicyFile(Path path, boolean isTrusted, TimeSource time, Scheduler scheduler) {
    this.path = path;
    this.isTrusted = isTrusted;
    this.time = time;
    this.scheduler = scheduler;
    this.cached = new CachedValue<>(FRESH, this::read, time);
  }

  @Override
  public State now() {
    LoadedFile<Policy> loaded = cached.get();
    Policy policy = loaded.content();
    List<Complaint> errors = loaded.complaints().stream().filter(Complaint::isError).toList();
    return policy == null || !errors.isEmpty()
        ? new Invalid(errors.isEmpty() ? path + " cannot be read" : errors.getFirst().toString())
        : new Known(policy);
  }

  @Override
  public void settle() {
    for (int pauses = 0; !cached.renewed().isSettled() && pauses < MOST_PAUSES; pauses++) {
      scheduler.pause(PAUSE);
    }
  }

  private LoadedFile<Policy> read(@Nullable LoadedFile<Policy> before) {
    return Files.notExists(path, LinkOption.NOFOLLOW_LINKS)
        ? new LoadedFile<>(null, null, Policy.NONE, List.of())
        : LoadedFile.refresh(new SourceFile(path, PolicyReader.FORM), before, time.now(),
            () -> load(path, isTrusted));
  }

  /** The policy of a file, or what is wrong with it. */
  static LoadedFile.Result<Policy> load(Path path, boolean isTrusted) {
    YamlSchema schema = PolicyReader.schema();
    Complaints complaints = new Complaints(path.toString());
    Policy policy = new SourceFile(path, PolicyReader.FORM).read(complaints).flatMap(text -> {
      WriteAccess.problem(path).filter(_ -> !isTrusted).ifPresent(problem -> complaints.error(Node.Position.START,
          problem.message() + "; any user who can change it can lift every rule; " + problem.remedy()));
      return PolicyReader.read(text, schema, complaints);
    }).filter(_ -> !complaints.hasErrors()).orElse(null);
    return new LoadedFile.Result<>(policy, complaints.all());
  }
}
