package fleet.tower.lock.file;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import fleet.tower.lease.FencingToken;
import fleet.tower.lease.LeaseName;

/**
 * The witnesses of the lock files: for each grant, a file that is named for its token and appears after the lock file.
 * File systems write the names of a directory to the disk in the order in which they changed. So if the witness is on
 * the disk, the lock file was, and if that is missing, it was removed, by whichever program. Its content is irrelevant.
 *
 * <p>The witness of a lock that was put back after a power cut has another suffix.
 *
 * <p>A witness exists before its grant is recorded in the journal, and until the removal is. Used under the guard of
 * the name, apart from {@link #discard}, because a token is granted once.
 */
final class Witnesses {
  private static final String GRANTED = ".granted";
  private static final String RESTORED = ".restored";
  private static final Pattern FORM = Pattern.compile("\\.([^.]+)\\.(\\d{1,18})(\\.granted|\\.restored)");

  private final LockDirectory directory;

  Witnesses(LockDirectory directory) {
    this.directory = directory;
  }

  /** The lock file that a witness belongs to. */
  record Grant(LeaseName name, FencingToken token) {}

  private static String of(LeaseName name, FencingToken token, String suffix) {
    return "." + name + "." + token + suffix;
  }

  /** The grant that a file is the witness of. */
  static Optional<Grant> grantOf(String file) {
    Matcher form = FORM.matcher(file);
    return form.matches() && LeaseName.isValid(form.group(1))
        ? Optional.of(new Grant(new LeaseName(form.group(1)), new FencingToken(Long.parseLong(form.group(2)))))
        : Optional.empty();
  }

  boolean has(LeaseName name, FencingToken token) throws IOException {
    return directory.has(of(name, token, GRANTED)) || isRestored(name, token);
  }

  /** Whether a lock was put back after a power cut. */
  boolean isRestored(LeaseName name, FencingToken token) throws IOException {
    return directory.has(of(name, token, RESTORED));
  }

  /** The grants that were put back after a power cut, among the files of the directory. */
  static Set<Grant> restored(List<String> files) {
    return files.stream().filter(file -> file.endsWith(RESTORED)).flatMap(file -> grantOf(file).stream())
        .collect(Collectors.toUnmodifiableSet());
  }

  /** Adds the witness of a lock file that has its name, unless it has one. */
  void add(LeaseName name, FencingToken token) throws IOException {
    if (!has(name, token)) {
      directory.create(of(name, token, GRANTED), new byte[0], false);
    }
  }

  /** Turns the temp file of a lock into its witness, after it was linked to the lock's name. */
  void addFromTemp(LeaseName name, FencingToken token) throws IOException {
    directory.rename(FileNames.lockTemp(name), of(name, token, GRANTED));
  }

  /** Adds the witness of a lock that was put back. */
  void addRestored(LeaseName name, FencingToken token) throws IOException {
    directory.create(of(name, token, RESTORED), new byte[0], false);
  }

  /** Removes a witness of a lock whose removal is recorded. A leftover is removed when the journal is replaced. */
  void discard(LeaseName name, FencingToken token) {
    if (!isUnlinked(of(name, token, GRANTED))) {
      isUnlinked(of(name, token, RESTORED));
    }
  }

  /** A leftover does no harm: it only says that its lock file was on the disk. */
  private boolean isUnlinked(String witness) {
    try {
      directory.unlink(witness);
      return true;
    } catch (IOException missingOrLeftover) {
      return false;
    }
  }
}
