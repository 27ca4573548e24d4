package fleet.tower.home.move;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.Set;

import fleet.tower.platform.StorageException;
import fleet.tower.platform.disk.Errno;
import fleet.tower.platform.disk.OwnerOnly;

/** The file of a home that has the mark of its move. Each write is durable and replaces the complete file. */
public record MarkFile(Path path) {
  private static final Set<StandardOpenOption> NEW = Set.of(StandardOpenOption.CREATE,
      StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE);

  /** The mark's file of a home. */
  public static MarkFile of(Path root) {
    return new MarkFile(root.resolve("state/moved"));
  }

  /** The mark; empty if the home has not been moved. */
  public Optional<MoveMark> read() {
    if (!Files.exists(path)) {
      return Optional.empty();
    }
    try {
      Optional<MoveMark> mark = MoveMark.parse(Files.readAllBytes(path));
      if (mark.isEmpty()) {
        throw new StorageException(path + ", which says where this home was moved, is damaged; restore it");
      }
      return mark;
    } catch (NoSuchFileException undone) {
      return Optional.empty();
    } catch (IOException e) {
      throw failure(e);
    }
  }

  /** Throws if the mark forbids the use of the home with, or without, the database of a fleet. */
  public void require(boolean isFleet) {
    read().filter(mark -> mark.refuses(isFleet)).ifPresent(mark -> {
      throw StorageException.moved(mark.message());
    });
  }

  void write(MoveMark mark) {
    Path temp = path.resolveSibling("moved.new");
    try {
      OwnerOnly.makeDirectories(path.resolveSibling(""));
      try (FileChannel channel = FileChannel.open(temp, NEW, OwnerOnly.FILE)) {
        ByteBuffer content = ByteBuffer.wrap(mark.json().getBytes(StandardCharsets.UTF_8));
        while (content.hasRemaining()) {
          channel.write(content);
        }
        channel.force(true);
      }
      Files.move(temp, path, StandardCopyOption.ATOMIC_MOVE);
      OwnerOnly.sync(path.resolveSibling(""));
    } catch (IOException e) {
      throw failure(e);
    }
  }

  void remove() {
    try {
      Files.deleteIfExists(path);
      OwnerOnly.sync(path.resolveSibling(""));
    } catch (IOException e) {
      throw failure(e);
    }
  }

  private StorageException failure(IOException e) {
    return new StorageException("the mark of the home's move, " + path + ", cannot be used: "
        + Errno.describeWithFile(e), e);
  }
}
