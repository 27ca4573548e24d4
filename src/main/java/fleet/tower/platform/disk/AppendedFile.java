package fleet.tower.platform.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

import org.jspecify.annotations.Nullable;

/**
 * A file that several threads append to. An interrupt of one of them closes the channel for all; then each repeats its
 * call on a new channel, as long as the path leads to the same file.
 */
public final class AppendedFile implements JournalDirectory.Log {
  private final Path path;
  private final Sync sync;
  private final Object identity;
  private FileChannel channel;

  /** The sync of its content; a test observes it here. */
  public interface Sync {
    void run(FileChannel channel) throws IOException;
  }

  private interface Work<T> {
    T run(FileChannel channel) throws IOException;
  }

  /** Opens an existing file. Its identity is that of the path before and after, so it is that of the channel. */
  public AppendedFile(Path path, Sync sync) throws IOException {
    this.path = path;
    this.sync = sync;
    Object before;
    Object after;
    FileChannel opened;
    do {
      before = identity(path);
      opened = WrittenFile.open(path, WrittenFile.Also.APPEND);
      after = identity(path);
    } while (before == null || !before.equals(after));
    this.identity = before;
    this.channel = opened;
  }

  /** Whether a path leads to this file. */
  public boolean isAt(Path other) throws IOException {
    return identity.equals(identity(other));
  }

  @Override
  public long append(byte[] bytes) throws IOException {
    return uninterrupted(open -> {
      if (open.write(ByteBuffer.wrap(bytes)) < bytes.length) {
        throw new IOException("No space left on device");
      }
      return open.size();
    });
  }

  @Override
  public void sync() throws IOException {
    uninterrupted(open -> {
      sync.run(open);
      return true;
    });
  }

  @Override
  public synchronized void close() {
    try {
      channel.close();
    } catch (IOException ignored) {
      // What was appended is in the file.
    }
  }

  private <T> T uninterrupted(Work<T> work) throws IOException {
    boolean interrupted = Thread.interrupted();
    try {
      for (;;) {
        FileChannel open = channel();
        try {
          return work.run(open);
        } catch (ClosedByInterruptException e) {
          interrupted |= Thread.interrupted();
        } catch (ClosedChannelException byAnInterruptOfAnotherThread) {
          // Repeated on a new channel.
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private synchronized FileChannel channel() throws IOException {
    if (!channel.isOpen()) {
      channel = WrittenFile.open(path, WrittenFile.Also.APPEND);
      if (!isAt(path)) {
        throw new IOException(path + " was replaced after an interrupt");
      }
    }
    return channel;
  }

  private static @Nullable Object identity(Path path) throws IOException {
    try {
      return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS).fileKey();
    } catch (NoSuchFileException absent) {
      return null;
    }
  }
}
