package fleet.tower.lock.file;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

import fleet.tower.lease.LeaseName;

/**
 * The file names that belong to a lock name. Lock names contain no dot, so these never collide, and the glob {@code
 * *.lock} matches locks only. A lock name may begin with {@code tmp-}, so temp files differ from permanent ones by
 * suffix too.
 */
final class FileNames {
  static final String GUARD = ".guard";
  /** A link to the mark of a move; while it exists, nothing is granted. */
  static final String MOVING = ".moving";
  /** The number above which the tokens of names without a counter begin. */
  static final String FLOOR = ".floor";
  /** The slot of changes of halts, which no name has. */
  static final long HALTS = 1L << 62;
  /** The slot of grants before which the locks are counted. */
  static final long COUNTS = HALTS + 1;
  private static final String TEMP_PREFIX = ".tmp-";
  private static final String TEMP_SUFFIX = ".new";
  private static final String LOCK_SUFFIX = ".lock";
  private static final String FREEZE_SUFFIX = ".freeze";
  private static final String FENCE_SUFFIX = ".fence";

  private FileNames() {}

  static String lock(LeaseName name) {
    return name.value() + LOCK_SUFFIX;
  }

  /** The last token issued. */
  static String fence(LeaseName name) {
    return "." + name.value() + FENCE_SUFFIX;
  }

  /** The boot clock's times of the last heartbeats. */
  static String beat(LeaseName name) {
    return "." + name.value() + ".beat";
  }

  /** What the next heartbeat writes over: the lock file before the last one, apart from its first. */
  static String spare(LeaseName name) {
    return "." + name.value() + ".spare";
  }

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

  static String floorTemp() {
    return TEMP_PREFIX + "floor" + TEMP_SUFFIX;
  }

  /** The files that a name without lock and freeze may still have, apart from its counter. */
  static List<String> leftovers(LeaseName name) {
    return List.of(lockTemp(name), fenceTemp(name), freezeTemp(name), spare(name), beat(name),
        exchangeTemp(lock(name)));
  }

  /** The second name of a file while it and another swap their names in steps. */
  static String exchangeTemp(String file) {
    return TEMP_PREFIX + file + TEMP_SUFFIX;
  }

  /** The temp file of a guard or of the link that replaces it. */
  static String guardTemp() {
    return TEMP_PREFIX + "guard" + TEMP_SUFFIX;
  }

  /** The file that a process writes to test whether the directory is writable. */
  static String probe(long pid) {
    return ".probe-" + pid;
  }

  /** Whether a file is a temp file of ours. */
  static boolean isTemp(String file) {
    return file.startsWith(TEMP_PREFIX) && (file.endsWith(TEMP_SUFFIX) || file.lastIndexOf('.') == 0);
  }

  /** The lock name of a lock file. */
  static Optional<LeaseName> nameOfLock(String file) {
    return nameIn(file, "", LOCK_SUFFIX);
  }

  /** The lock name of a freeze file. */
  static Optional<LeaseName> nameOfFreeze(String file) {
    return nameIn(file, ".", FREEZE_SUFFIX);
  }

  /** The lock name of a fencing counter. */
  static Optional<LeaseName> nameOfFence(String file) {
    return nameIn(file, ".", FENCE_SUFFIX);
  }

  private static Optional<LeaseName> nameIn(String file, String prefix, String suffix) {
    if (!file.startsWith(prefix) || !file.endsWith(suffix) || file.length() <= prefix.length() + suffix.length()) {
      return Optional.empty();
    }
    String stem = file.substring(prefix.length(), file.length() - suffix.length());
    return LeaseName.isValid(stem) ? Optional.of(new LeaseName(stem)) : Optional.empty();
  }

  /** The guard file's byte for a name (FNV-1a, 62 bits). Names that collide wait for each other; nothing worse. */
  static long slot(LeaseName name) {
    long hash = 0xcbf29ce484222325L;
    for (byte b : name.value().getBytes(StandardCharsets.US_ASCII)) {
      hash = (hash ^ b) * 0x100000001b3L;
    }
    return hash >>> 2;
  }
}
