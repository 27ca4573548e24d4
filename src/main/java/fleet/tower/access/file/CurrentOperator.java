package fleet.tower.access.file;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.Tokens.OperatorToken;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.disk.Errno;
import fleet.tower.platform.time.CachedValue;
import fleet.tower.platform.time.TimeSource;

/**
 * The operator's own token as it is now: re-read on access after a short time, so that a rotation takes effect within a
 * second. While the file is missing or invalid, the last valid token applies; a missing
 * one is created by the next start.
 */
final class CurrentOperator {
  private static final Duration FRESH = Duration.ofMillis(400);

  private final OperatorFile file;
  private final Consumer<String> warnings;
  private final CachedValue<Loaded> cached;

  /**
   * The token at the last check.
   *
   * @param stamp the stamp of the files; null if they must be read again
   *
   * @param problem why they could not be read; null if they were
   */
  private record Loaded(@Nullable String stamp, OperatorToken token, @Nullable String problem) {}

  /** @throws IOException if there is no valid token from the start */
  CurrentOperator(OperatorFile file, TimeSource time, Consumer<String> warnings) throws IOException {
    this.file = file;
    this.warnings = warnings;
    Loaded first = new Loaded(null, file.load(), null);
    this.cached = new CachedValue<>(FRESH, before -> look(before == null ? first : before), time);
  }

  OperatorToken get() {
    return cached.get().token();
  }

  /** The token after a check that is made now. */
  OperatorToken renewed() {
    return cached.renewed().token();
  }

  List<String> complaints() {
    String problem = cached.get().problem();
    return problem == null ? List.of() : List.of(problem);
  }

  private Loaded look(Loaded before) {
    try {
      if (file.isMissing()) {
        return new Loaded(null, before.token(), null);
      }
      String stamp = file.stamp();
      return stamp.equals(before.stamp()) ? before : new Loaded(stamp, file.load(), null);
    } catch (StorageException e) {
      return failed(before, String.valueOf(e.getMessage()));
    } catch (IOException e) {
      return failed(before, "the operator token cannot be read: " + Errno.describe(e));
    }
  }

  private Loaded failed(Loaded before, String problem) {
    if (!problem.equals(before.problem())) {
      warnings.accept(problem + " (the last valid token applies)");
    }
    return new Loaded(null, before.token(), problem);
  }
}
