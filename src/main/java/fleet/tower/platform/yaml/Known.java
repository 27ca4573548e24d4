package fleet.tower.platform.yaml;

import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * A file as it was at the last look. Only one whose stamp has changed is read again, and while what it holds now is wrong the
 * last version that was good stays.
 *
 * <p>An editor may empty a file before it writes it, and half a file can look whole. So a file that was good is read again only
 * when it has been quiet: not written to lately, or the same at two looks.
 *
 * @param taken the stamp that it was read with
 * @param seen the stamp at the last look
 * @param good the last version that was one
 */
public record Known<T>(SourceFile.@Nullable Stamp taken, SourceFile.@Nullable Stamp seen, @Nullable T good,
    List<Complaint> complaints) {
  private static final long QUIET_MILLIS = 250;
  private static final long FRESH_MILLIS = 50;

  public Known {
    complaints = List.copyOf(complaints);
  }

  /** What one reading of a file gave: what it holds, or why that cannot be told. */
  public record Loaded<T>(@Nullable T content, List<Complaint> complaints) {
    public Loaded {
      complaints = List.copyOf(complaints);
    }
  }

  /** What is known after another look at a file; {@code before} is null at the first. */
  public static <T> Known<T> look(SourceFile file, @Nullable Known<T> before, Instant now,
      Supplier<Loaded<T>> reading) {
    SourceFile.Stamp stamp = stamp(file);
    if (before != null && stamp != null && stamp.equals(before.taken())) {
      return before;
    }
    T good = before == null ? null : before.good();
    if (good != null && before != null && !isQuiet(stamp, before.seen(), now)) {
      return new Known<>(before.taken(), stamp, good, before.complaints());
    }
    Loaded<T> loaded = reading.get();
    SourceFile.Stamp after = stamp(file);
    boolean isWhole = stamp != null && stamp.equals(after);
    T read = isWhole || good == null ? loaded.content() : null;
    return new Known<>(isWhole && stamp != null && !isFresh(stamp, now) ? stamp : null, after,
        read == null ? good : read, loaded.complaints());
  }

  private static boolean isQuiet(SourceFile.@Nullable Stamp stamp, SourceFile.@Nullable Stamp seen, Instant now) {
    return stamp == null || stamp.equals(seen) || now.toEpochMilli() - stamp.modifiedMillis() >= QUIET_MILLIS;
  }

  /** Written so lately that the file system may give the next writing the same time. */
  private static boolean isFresh(SourceFile.Stamp stamp, Instant now) {
    long age = now.toEpochMilli() - stamp.modifiedMillis();
    return age >= 0 && age < FRESH_MILLIS;
  }

  private static SourceFile.@Nullable Stamp stamp(SourceFile file) {
    try {
      return file.stamp();
    } catch (IOException unreadable) {
      return null;
    }
  }
}
