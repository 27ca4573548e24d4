package fleet.tower.platform.yaml;

import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * The state of a file at its last check. The file is read again only when its stamp changes, and while its content is
 * invalid, the last valid version is kept.
 *
 * <p>An editor may empty a file before it writes it, and half a file can look complete. So a file that was valid is
 * read again only when it is quiet: not written to recently, or unchanged between two checks.
 *
 * @param readStamp the stamp with which the file was read; null if it must be read again
 * @param lastStamp the stamp at the last check
 * @param content the last valid content
 */
public record LoadedFile<T>(SourceFile.@Nullable Stamp readStamp, SourceFile.@Nullable Stamp lastStamp,
    @Nullable T content, List<Complaint> complaints) {
  private static final long QUIET_MILLIS = 250;
  private static final long FRESH_MILLIS = 50;

  public LoadedFile {
    complaints = List.copyOf(complaints);
  }

  /** The result of reading a file: its content, or the reasons why it is invalid. */
  public record Result<T>(@Nullable T content, List<Complaint> complaints) {
    public Result {
      complaints = List.copyOf(complaints);
    }
  }

  /** Checks a file again; {@code before} is null on the first check. */
  public static <T> LoadedFile<T> refresh(SourceFile file, @Nullable LoadedFile<T> before, Instant now,
      Supplier<Result<T>> reader) {
    SourceFile.Stamp stamp = stamp(file);
    if (before != null && stamp != null && stamp.equals(before.readStamp())) {
      return before;
    }
    T good = before == null ? null : before.content();
    if (good != null && before != null && !isQuiet(stamp, before.lastStamp(), now)) {
      return new LoadedFile<>(before.readStamp(), stamp, good, before.complaints());
    }
    Result<T> result = reader.get();
    SourceFile.Stamp after = stamp(file);
    boolean isWhole = stamp != null && stamp.equals(after);
    T read = isWhole || good == null ? result.content() : null;
    return new LoadedFile<>(isWhole && stamp != null && !isFresh(stamp, now) ? stamp : null, after,
        read == null ? good : read, result.complaints());
  }

  /** Whether the content is that of the file at the last check, and no write is under way. */
  public boolean isSettled() {
    return Objects.equals(readStamp, lastStamp);
  }

  private static boolean isQuiet(SourceFile.@Nullable Stamp stamp, SourceFile.@Nullable Stamp lastStamp, Instant now) {
    return stamp == null || stamp.equals(lastStamp) || now.toEpochMilli() - stamp.modifiedMillis() >= QUIET_MILLIS;
  }

  /** Whether the file was written so recently that the file system may give the next write the same time. */
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
