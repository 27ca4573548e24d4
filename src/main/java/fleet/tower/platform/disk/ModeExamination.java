package fleet.tower.platform.disk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import fleet.tower.platform.Examination;
import fleet.tower.platform.Finding;

/**
 * Checks that only its owner, this user, can access a file or a directory. A missing one yields no finding.
 *
 * @param check the name of the check
 */
public record ModeExamination(String check, Path path) implements Examination {
  private static final Set<PosixFilePermission> OWNERS = EnumSet.of(PosixFilePermission.OWNER_READ,
      PosixFilePermission.OWNER_WRITE, PosixFilePermission.OWNER_EXECUTE);

  @Override
  public List<Finding> examine() {
    try {
      if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
        return List.of();
      }
      List<Finding> findings = new ArrayList<>();
      PosixFileAttributes attributes = Files.readAttributes(path, PosixFileAttributes.class);
      foreignOwner(findings);
      findings.add(mode(attributes));
      return findings;
    } catch (IOException e) {
      return List.of(Finding.fail(check, path + " cannot be examined: " + Errno.describe(e),
          "check its owner and mode, and those of the directories above it"));
    }
  }

  private void foreignOwner(List<Finding> findings) throws IOException {
    Path self = Path.of("/proc/self");
    Object owner = Files.getAttribute(path, "unix:uid");
    if (Files.exists(self) && !owner.equals(Files.getAttribute(self, "unix:uid"))) {
      findings.add(Finding.warn(check, path + " is owned by user id " + owner + ", not by this user",
          "run as that user, or set TOWER_HOME to a home of your own"));
    }
  }

  private Finding mode(PosixFileAttributes attributes) {
    String mode = PosixFilePermissions.toString(attributes.permissions());
    String remedy = "chmod " + (attributes.isDirectory() ? "700 " : "600 ") + path;
    if (attributes.permissions().contains(PosixFilePermission.OTHERS_WRITE)) {
      return Finding.fail(check, path + " is world-writable (" + mode + ")", remedy);
    }
    return OWNERS.containsAll(attributes.permissions())
        ? Finding.ok(check, mode)
        : Finding.warn(check, path + " is accessible to other users (" + mode + ")", remedy);
  }
}
