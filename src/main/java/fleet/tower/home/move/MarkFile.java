package fleet.tower.home.move;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;

import fleet.tower.platform.StorageException;
import fleet.tower.platform.disk.Errno;
import fleet.tower.platform.disk.OwnerOnly;
import fleet.tower.platform.disk.WrittenFile;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonReader;

/**
 * The file of a home that has the mark of its store. Each write is durable and replaces the complete file.
 *
 * @param moved the file in which earlier versions kept the mark of a move; read if there is no other
 */
public record MarkFile(Path path, Path moved) {
  /** The mark's file of a home. */
  public static MarkFile of(Path root) {
    return new MarkFile(root.resolve("state/store"), root.resolve("state/moved"));
  }

  /** The mark; empty if the home has none yet. */
  public Optional<StoreMark> read() {
    Optional<byte[]> content = content(path);
    if (content.isPresent()) {
      return content.map(bytes -> StoreMark.parse(bytes).orElseThrow(() -> damaged(path)));
    }
    return content(moved).map(bytes -> ofEarlierVersion(bytes).orElseThrow(() -> damaged(moved)));
  }

  /** The mark of the home's move; empty if it has not been moved. */
  public Optional<MoveMark> move() {
    return read().flatMap(mark -> Optional.ofNullable(mark.move()));
  }

  private static Optional<byte[]> content(Path file) {
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    try {
      return Optional.of(Files.readAllBytes(file));
    } catch (NoSuchFileException undone) {
      return Optional.empty();
    } catch (IOException e) {
      throw failure(file, e);
    }
  }

  private Optional<StoreMark> ofEarlierVersion(byte[] content) {
    try {
      return MoveMark.parse(JsonReader.readObject(content)).map(move -> new StoreMark(
          move.phase() == MoveMark.Phase.MOVED
              ? new StoreMark.Store(areLocksMoved(), "", move.to())
              : StoreMark.Store.OF_HOME,
          move));
    } catch (JsonException damaged) {
      return Optional.empty();
    }
  }

  /** Whether the locks are moved too: their guard file is then a link. */
  private boolean areLocksMoved() {
    return Files.isSymbolicLink(moved.resolveSibling("../logs/locks/.guard").normalize());
  }

  /**
   * Writes the first mark of a home, unless there is one; returns the mark that it has then.
   *
   * @param store the store of a home that has not moved, or that an earlier version has moved there
   */
  public StoreMark create(StoreMark.Store store) {
    if (Files.exists(path)) {
      return read().orElseThrow(() -> damaged(path));
    }
    StoreMark mark = new StoreMark(store, move().orElse(null));
    try {
      Path temp = temporary(mark);
      try {
        // A link is created only if there is no file, and the file is complete from then on.
        Files.createLink(path, temp);
      } finally {
        Files.delete(temp);
      }
      OwnerOnly.sync(path.resolveSibling(""));
      return mark;
    } catch (FileAlreadyExistsException createdConcurrently) {
      return read().orElseThrow(() -> damaged(path));
    } catch (IOException e) {
      throw failure(path, e);
    }
  }

  void write(StoreMark mark) {
    try {
      Files.move(temporary(mark), path, StandardCopyOption.ATOMIC_MOVE);
      OwnerOnly.sync(path.resolveSibling(""));
      Files.deleteIfExists(moved);
    } catch (IOException e) {
      throw failure(path, e);
    }
  }

  private Path temporary(StoreMark mark) throws IOException {
    OwnerOnly.makeDurableDirectories(path.resolveSibling(""));
    Path temp = Files.createTempFile(path.resolveSibling(""), "store.", ".new", OwnerOnly.FILE);
    WrittenFile.write(temp, mark.json().getBytes(StandardCharsets.UTF_8));
    return temp;
  }

  private static StorageException damaged(Path file) {
    return new StorageException(file + ", which says where the locks of this home are, is damaged; restore it");
  }

  private static StorageException failure(Path file, IOException e) {
    return new StorageException("the mark of the home's store, " + file + ", cannot be used: "
        + Errno.describeWithFile(e), e);
  }
}
