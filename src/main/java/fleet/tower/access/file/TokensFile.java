package fleet.tower.access.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.Grant;
import fleet.tower.platform.disk.Errno;
import fleet.tower.platform.time.CachedValue;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.platform.yaml.Complaint;
import fleet.tower.platform.yaml.Complaints;
import fleet.tower.platform.yaml.LoadedFile;
import fleet.tower.platform.yaml.Node;
import fleet.tower.platform.yaml.SourceFile;
import fleet.tower.platform.yaml.YamlSchema;

/**
 * The current content of {@code config/tokens.yaml}, re-read on access after a short time, so that a revocation takes
 * effect within a second. If it becomes invalid, the last valid grants apply; if it is deleted, there are none.
 *
 * <p>Write access to it is access as an operator. So it must belong to this user or to root, and be writable by its
 * owner only. A link is followed within its directory, which is how Kubernetes replaces a Secret.
 */
final class TokensFile {
  private static final Duration FRESH = Duration.ofMillis(400);

  private final Path path;
  private final TimeSource time;
  private final Consumer<String> warnings;
  private final CachedValue<LoadedFile<List<Grant>>> cached;
  private @Nullable YamlSchema schema;

  TokensFile(Path path, TimeSource time, Consumer<String> warnings) {
    this.path = path;
    this.time = time;
    this.warnings = warnings;
    this.cached = new CachedValue<>(FRESH, this::look, time);
  }

  List<Grant> grants() {
    return grants(cached.get());
  }

  /**
   * The grants after a check of the file that is made now. A file that was just written is not read earlier than usual:
   * its writer may not have finished, unless it replaced the file as {@link Replacement} does.
   */
  List<Grant> renewed() {
    return grants(isSettled() ? cached.renewed() : cached.get());
  }

  private boolean isSettled() {
    try {
      return Files.notExists(path, LinkOption.NOFOLLOW_LINKS) || time.now().toEpochMilli()
          - Files.getLastModifiedTime(path).toMillis() >= Replacement.SETTLED_MILLIS / 2;
    } catch (IOException unreadable) {
      return false;
    }
  }

  private static List<Grant> grants(LoadedFile<List<Grant>> loaded) {
    List<Grant> good = loaded.content();
    return good == null ? List.of() : good;
  }

  /** Errors and warnings of the file. */
  List<Complaint> complaints() {
    return cached.get().complaints();
  }

  private void report(List<Complaint> before, LoadedFile<List<Grant>> now) {
    if (!now.complaints().equals(before)) {
      now.complaints().forEach(complaint -> warnings.accept(complaint + (complaint.isError() ? consequence(now) : "")));
    }
  }

  private static String consequence(LoadedFile<List<Grant>> now) {
    return now.content() == null ? " (only the operator is admitted)" : " (the last valid tokens apply)";
  }

  private LoadedFile<List<Grant>> look(@Nullable LoadedFile<List<Grant>> before) {
    LoadedFile<List<Grant>> now = read(before);
    report(before == null ? List.of() : before.complaints(), now);
    return now;
  }

  private LoadedFile<List<Grant>> read(@Nullable LoadedFile<List<Grant>> before) {
    if (Files.notExists(path, LinkOption.NOFOLLOW_LINKS)) {
      return new LoadedFile<>(null, null, List.of(), List.of());
    }
    return LoadedFile.refresh(new SourceFile(path, TokensReader.FORM), before, time.now(), () -> load(path, schema()));
  }

  private YamlSchema schema() {
    if (schema == null) {
      schema = TokensReader.schema();
    }
    return schema;
  }

  static LoadedFile.Result<List<Grant>> load(Path path, YamlSchema schema) {
    Complaints complaints = new Complaints(path.toString());
    List<Grant> grants = new SourceFile(path, TokensReader.FORM).read(complaints).flatMap(text -> {
      requireOurs(path, complaints);
      return TokensReader.read(text, schema, complaints);
    }).map(entries -> entries.stream().map(TokensReader.Entry::grant).toList()).orElse(null);
    return new LoadedFile.Result<>(grants, complaints.all());
  }

  private static void requireOurs(Path path, Complaints complaints) {
    try {
      Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(path);
      String mode = " (" + PosixFilePermissions.toString(permissions) + ")";
      Object owner = Files.getAttribute(path, "unix:uid");
      if (!owner.equals(0) && !isOurs(owner)) {
        complaints.error(Node.Position.START, "belongs to user id " + owner
            + ", who could become an operator; chown it to root or to the service's user");
      } else if (permissions.contains(PosixFilePermission.GROUP_WRITE)
          || permissions.contains(PosixFilePermission.OTHERS_WRITE)) {
        complaints.error(Node.Position.START, "is writable by users other than its owner" + mode
            + ", who could become operators; chmod 600 it");
      } else if (permissions.contains(PosixFilePermission.OTHERS_READ)) {
        complaints.warn(Node.Position.START, "is readable by everyone" + mode + "; chmod 600 it");
      }
    } catch (IOException e) {
      complaints.error(Node.Position.START, "cannot be examined: " + Errno.describe(e));
    }
  }

  private static boolean isOurs(Object owner) throws IOException {
    Path self = Path.of("/proc/self");
    return Files.notExists(self) || owner.equals(Files.getAttribute(self, "unix:uid"));
  }
}
