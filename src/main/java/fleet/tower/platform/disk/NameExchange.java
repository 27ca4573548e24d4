package fleet.tower.platform.disk;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.Charset;
import java.nio.file.FileSystemException;
import java.nio.file.Path;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.process.Libc;

/** Swaps the names of two files in one step, by Linux' {@code renameat2(2)}, which Java does not offer. */
public final class NameExchange {
  private static final String FUNCTION = "renameat2";
  private static final @Nullable MemorySegment RENAME = Libc.has(FUNCTION) ? Libc.function(FUNCTION) : null;
  private static final int WORKING_DIRECTORY = -100;
  private static final int EXCHANGE = 2;
  private static final int EINVAL = 22;
  private static final int ENOSYS = 38;
  /** How the JDK encodes paths for the kernel. */
  private static final Charset ENCODING = Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));

  private NameExchange() {}

  /** What has become of the two files. */
  public enum Outcome {
    DONE,
    /** One of them does not exist; nothing has changed. */
    ABSENT,
    /** The kernel or this file system cannot swap names; nothing has changed. */
    UNSUPPORTED
  }

  public static Outcome of(Path file, Path other) throws IOException {
    if (RENAME == null) {
      return Outcome.UNSUPPORTED;
    }
    try (Arena arena = Arena.ofConfined()) {
      Libc.Result result = Libc.call(RENAME, WORKING_DIRECTORY, address(arena, file), WORKING_DIRECTORY,
          address(arena, other), EXCHANGE);
      return switch (result.errno()) {
        case 0 -> Outcome.DONE;
        case Libc.ENOENT -> Outcome.ABSENT;
        case EINVAL, ENOSYS -> Outcome.UNSUPPORTED;
        default -> throw new FileSystemException(file.toString(), other.toString(), Libc.describe(result.errno()));
      };
    }
  }

  private static long address(Arena arena, Path path) {
    return Libc.terminated(arena, path.toString().getBytes(ENCODING)).address();
  }
}
