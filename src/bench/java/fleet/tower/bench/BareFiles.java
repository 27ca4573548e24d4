package fleet.tower.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** The minimal system calls of a lock on files: no guard, no check, no decision. */
record BareFiles(Path directory, String name) {
  private static final byte[] LOCK = new byte[400];
  private static final byte[] COUNTER = new byte[4];

  /** Increments the counter, writes the lock, links it, and syncs both. */
  void acquire() throws IOException {
    write(".tmp-" + name + ".fence", COUNTER, true);
    rename(".tmp-" + name + ".fence", "." + name + ".fence");
    write(".tmp-" + name, LOCK, true);
    Files.createLink(directory.resolve(name + ".lock"), directory.resolve(".tmp-" + name));
    Files.delete(directory.resolve(".tmp-" + name));
    sync();
  }

  void release() throws IOException {
    Files.delete(directory.resolve(name + ".lock"));
    sync();
  }

  void heartbeat() throws IOException {
    write(".tmp-" + name, LOCK, false);
    rename(".tmp-" + name, name + ".lock");
  }

  private void write(String file, byte[] content, boolean durable) throws IOException {
    try (FileChannel channel = FileChannel.open(directory.resolve(file), StandardOpenOption.CREATE_NEW,
        StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.wrap(content));
      if (durable) {
        channel.force(false);
      }
    }
  }

  private void rename(String from, String to) throws IOException {
    Files.move(directory.resolve(from), directory.resolve(to), StandardCopyOption.ATOMIC_MOVE);
  }

  private void sync() throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }
}
