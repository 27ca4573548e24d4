package fleet.tower.lock.file;

import java.nio.charset.StandardCharsets;
import java.util.Optional;

import fleet.tower.lease.LeaseName;

/**
 * The files of a name. Names hold no dot, so no two of these ever meet, and the glob {@code *.lock} finds locks only. But a name
 * may begin with {@code tmp-}: what lasts and what is in the making differ in their endings, not in their beginnings alone.
 */
final class FileNames {
  static final String GUARD = ".guard";
  private static final String TEMP_PREFIX = ".tmp-";
  private static final String TEMP_SUFFIX = ".new";
  private static final String LOCK_SUFFIX = ".lock";
  private static final String FREEZE_SUFFIX = ".freeze";

  private FileNames() {}

  static String lock(LeaseName name) {
    return name.value() + LOCK_SUFFIX;
  }

  /** The last token that was given out; never deleted. */
  static String fence(LeaseName name) {
    return "." + name.value() + ".fence";
  }

  /** The boot clock's reading of the last heartbeats. */
  static String beat(LeaseName name) {
    return "." + name.value() + ".beat";
  }

  /** What keeps new holders away. */
  static String freeze(LeaseName name) {
    return "." + name.value() + FREEZE_SUFFIX;
  }

  static String freezeTemp(LeaseName name) {
    return TEMP_PREFIX + name.value() + FREEZE_SUFFIX + TEMP_SUFFIX;
  }

  static String lockTemp(LeaseName name) {
    return TEMP_PREFIX + name.value();
  }

  static String fenceTemp(LeaseName name) {
    return TEMP_PREFIX + name.value() + ".fence" + TEMP_SUFFIX;
  }

  /** What a process writes to see whether it can. */
  static String probe(long pid) {
    return ".probe-" + pid;
  }

  /** Whether a file is one in the making. */
  static boolean isTemp(String file) {
    return file.startsWith(TEMP_PREFIX) && (file.endsWith(TEMP_SUFFIX) || file.lastIndexOf('.') == 0);
  }

  /** The name whose lock a file is, if it is one. */
  static Optional<LeaseName> nameOfLock(String file) {
    return nameIn(file, "", LOCK_SUFFIX);
  }

  /** The name that a file freezes, if it does. */
  static Optional<LeaseName> nameOfFreeze(String file) {
    return nameIn(file, ".", FREEZE_SUFFIX);
  }

  private static Optional<LeaseName> nameIn(String file, String prefix, String suffix) {
    if (!file.startsWith(prefix) || !file.endsWith(suffix) || file.length() <= prefix.length() + suffix.length()) {
      return Optional.empty();
    }
    String stem = file.substring(prefix.length(), file.length() - suffix.length());
    return LeaseName.isValid(stem) ? Optional.of(new LeaseName(stem)) : Optional.empty();
  }

  /** The byte of the guard file that belongs to a name (FNV-1a, 62 bits). Two names that meet wait for each other, no more. */
  static long slot(LeaseName name) {
    long hash = 0xcbf29ce484222325L;
    for (byte b : name.value().getBytes(StandardCharsets.US_ASCII)) {
      hash = (hash ^ b) * 0x100000001b3L;
    }
    return hash >>> 2;
  }
}
