package fleet.tower.run.process;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Set;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.StorageException;
import fleet.tower.platform.disk.DiskReserve;
import fleet.tower.platform.disk.Errno;
import fleet.tower.platform.disk.OwnerOnly;
import fleet.tower.platform.disk.WrittenFile;
import fleet.tower.platform.disk.WrittenFile.Also;
import fleet.tower.run.StepLogs;

/**
 * The output of one step, in a file. A failing or full disk stops nothing: output that cannot be written, or would use
 * the reserve of the disk, is dropped, with one
 * warning and, as soon as the file can be written again, a line in the log. The file is created with the first byte.
 */
final class StepLog implements AutoCloseable {
  static final String SUFFIX = ".log";
  private static final Set<OpenOption> READ = Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);

  private final Path file;
  private final long maxBytes;
  private final DiskReserve reserve;
  private final Consumer<String> warnings;
  private @Nullable SeekableByteChannel channel;
  private long size;
  private boolean full;
  private boolean lineOpen;
  private boolean warned;
  private long droppedBytes;
  private String trouble = "";

  StepLog(Path file, long maxBytes, DiskReserve reserve, Consumer<String> warnings) {
    this.file = file;
    this.maxBytes = maxBytes;
    this.reserve = reserve;
    this.warnings = warnings;
  }

  /** Continues a log that others have written, so that the next note begins a line. */
  void resume() {
    try {
      long written = size(file);
      lineOpen = written > 0 && read(file, written - 1, 1).bytes()[0] != '\n';
    } catch (StorageException unreadable) {
      trouble = unreadable.publicMessage();
    }
  }

  /** Appends output; returns whether the log has grown. */
  boolean append(byte[] bytes, int offset, int length) {
    if (full) {
      return false;
    }
    boolean grown = mention() && write(bytes, offset, length, maxBytes);
    if (size >= maxBytes) {
      full = true;
      String what = "the output is longer than " + maxBytes + " bytes; the rest is not kept";
      grown |= note(what);
      warnings.accept(what);
    }
    return grown;
  }

  /** Appends a line of the executor. */
  boolean note(String text) {
    byte[] line = ((lineOpen ? "\n" : "") + "[tower] " + text + "\n").getBytes(StandardCharsets.UTF_8);
    return write(line, 0, line.length, Long.MAX_VALUE);
  }

  /** Notes in the log how much output is missing at this point, if any. */
  private boolean mention() {
    if (droppedBytes == 0) {
      return true;
    }
    long dropped = droppedBytes;
    String why = trouble;
    if (!note(dropped + " bytes of output are missing here: " + why)) {
      droppedBytes = dropped;
      return true;
    }
    droppedBytes -= dropped;
    return true;
  }

  /** Writes bytes as long as the log, which earlier tries of the step may have begun, is not longer than a limit. */
  private boolean write(byte[] bytes, int offset, int length, long most) {
    ByteBuffer buffer = ByteBuffer.wrap(bytes, offset, length);
    boolean grown = false;
    try {
      if (reserve.isReached()) {
        throw new IOException("the disk" + reserve.problem());
      }
      SeekableByteChannel to = opened();
      buffer.limit(offset + Math.clamp(most - size, 0, length));
      while (buffer.hasRemaining()) {
        size += to.write(buffer);
        grown = true;
      }
    } catch (IOException e) {
      drop(buffer.remaining(), e);
    }
    if (grown) {
      lineOpen = bytes[buffer.position() - 1] != '\n';
    }
    return grown;
  }

  private SeekableByteChannel opened() throws IOException {
    if (channel == null) {
      OwnerOnly.makeDirectories(requireNonNull(file.getParent()));
      channel = WrittenFile.open(file, Also.CREATE, Also.APPEND);
      size = channel.size();
    }
    return channel;
  }

  private void drop(int bytes, IOException why) {
    droppedBytes += bytes;
    trouble = Errno.describeWithFile(why);
    if (!warned) {
      warned = true;
      warnings.accept("output cannot be kept and is dropped: " + trouble);
    }
    // An interrupt may have closed the channel; the next write opens it again.
    closeChannel();
  }

  private void closeChannel() {
    try {
      if (channel != null) {
        channel.close();
      }
    } catch (IOException e) {
      trouble = Errno.describeWithFile(e);
    }
    channel = null;
  }

  @Override
  public void close() {
    boolean _ = mention();
    closeChannel();
    if (droppedBytes > 0) {
      warnings.accept(droppedBytes + " bytes of output are missing: " + trouble);
    }
  }

  /** Reads a part of a log; it is empty if there is no log. */
  static StepLogs.Output read(Path file, long from, int maxBytes) {
    if (from < 0 || maxBytes < 0) {
      throw new IllegalStateException("output is read from " + from + ", at most " + maxBytes + " bytes");
    }
    try (SeekableByteChannel channel = Files.newByteChannel(file, READ)) {
      long left = Math.max(0, channel.size() - from);
      ByteBuffer buffer = ByteBuffer.allocate((int) Math.min(maxBytes, left));
      channel.position(from);
      while (buffer.hasRemaining() && channel.read(buffer) >= 0) {
        // A read may return less than is available.
      }
      byte[] bytes = new byte[buffer.position()];
      buffer.flip().get(bytes);
      return new StepLogs.Output(bytes, from + bytes.length);
    } catch (NoSuchFileException nothingPrinted) {
      return new StepLogs.Output(new byte[0], from);
    } catch (IOException e) {
      throw new StorageException("the log " + file + " cannot be read: " + Errno.describe(e), e);
    }
  }

  /** The number of bytes of a log; 0 if nothing was printed. */
  static long size(Path file) {
    try {
      BasicFileAttributes attributes = file.getFileSystem().provider().readAttributesIfExists(file,
          BasicFileAttributes.class);
      return attributes == null ? 0 : attributes.size();
    } catch (IOException e) {
      throw new StorageException("the log " + file + " cannot be read: " + Errno.describe(e), e);
    }
  }
}
