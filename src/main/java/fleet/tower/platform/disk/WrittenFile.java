package fleet.tower.platform.disk;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/**
 * Opens files for writing; no other class does. A link in place of a file is not followed, and a file that exists must
 * belong to this user or root. Otherwise whoever can plant a link or a file would decide where this user writes.
 */
public final class WrittenFile {
  /** The reason why a file that must not be a link is not opened. */
  static final String LINK = "it is a link, and files are not opened through links; remove it";

  private WrittenFile() {}

  /** What is done to a file besides writing to it. */
  public enum Also {
    /** Creates it with mode 0600 if it does not exist. */
    CREATE(StandardOpenOption.CREATE),
    /** Reads it. */
    READ(StandardOpenOption.READ),
    /** Writes at its end. */
    APPEND(StandardOpenOption.APPEND),
    /** Removes its content. */
    TRUNCATE(StandardOpenOption.TRUNCATE_EXISTING);

    private final StandardOpenOption option;

    Also(StandardOpenOption option) {
      this.option = option;
    }
  }

  /** Opens a file that exists or, with {@link Also#CREATE}, a new one. */
  public static FileChannel open(Path file, Also... also) throws IOException {
    Set<OpenOption> options = new HashSet<>(Set.of(StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS));
    Arrays.stream(also).forEach(it -> options.add(it.option));
    FileChannel channel;
    try {
      channel = FileChannel.open(file, options, OwnerOnly.FILE);
    } catch (IOException e) {
      throw explained(file, e);
    }
    return owned(file, channel);
  }

  /**
   * Creates a file.
   *
   * @throws FileAlreadyExistsException if there is one, even if it is a link
   */
  public static FileChannel create(Path file, FileAttribute<?>... mode) throws IOException {
    return FileChannel.open(file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), mode);
  }

  /** A stream that appends to a file that exists. Unlike a channel, it stays open when a thread is interrupted. */
  public static OutputStream appending(Path file) throws IOException {
    return stream(file, StandardOpenOption.APPEND);
  }

  /** Writes the whole content of a file and syncs it; creates it with mode 0600 if it does not exist. */
  public static void write(Path file, byte[] content) throws IOException {
    try {
      Files.createFile(file, OwnerOnly.FILE);
    } catch (FileAlreadyExistsException exists) {
      // It gets the new content.
    }
    try (OutputStream out = stream(file, StandardOpenOption.TRUNCATE_EXISTING)) {
      out.write(content);
    }
    OwnerOnly.sync(file);
  }

  private static OutputStream stream(Path file, OpenOption how) throws IOException {
    try {
      return owned(file, Files.newOutputStream(file, StandardOpenOption.WRITE, how, LinkOption.NOFOLLOW_LINKS));
    } catch (IOException e) {
      throw explained(file, e);
    }
  }

  private static <T extends Closeable> T owned(Path file, T opened) throws IOException {
    Object owner = Files.getAttribute(file, "unix:uid", LinkOption.NOFOLLOW_LINKS);
    if (WriteAccess.isTrusted(owner)) {
      return opened;
    }
    opened.close();
    throw new FileSystemException(file.toString(), null,
        "it belongs to user id " + owner + ", not to this user or root");
  }

  /** The kernel's words for a link in place of the file are those for a cycle of links. */
  private static IOException explained(Path file, IOException refusal) {
    if (!Files.isSymbolicLink(file)) {
      return refusal;
    }
    IOException explained = new FileSystemException(file.toString(), null, LINK);
    explained.initCause(refusal);
    return explained;
  }
}
