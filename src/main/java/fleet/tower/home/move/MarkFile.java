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

/** The file of a home that has the mark of its store. Each write is durable and replaces the complete file. */
public record MarkFile(Path path) {
  /** The mark's file of a home. */
  public static MarkFile of(Path root) {
    return new MarkFile(root.resolve("state/store"));
  }

  /** The mark; empty if the home has none yet. */
  public Optional<StoreMark> read() {
    return content().map(bytes -> StoreMark.parse(bytes).orElseThrow(this::damaged));
  }

  /** The mark of the home's move; empty if it has not been moved. */
  public Optional<MoveMark> move() {
    return read().flatMap(mark -> Optional.ofNullable(mark.move()));
  }

  private Optional<byte[]> content() {
    if (!Files.exists(path)) {
      return Optional.empty();
    }
    try {
      return Optional.of(Files.readAllBytes(path));
    } catch (NoSuchFileException undone) {
      return Optional.empty();
    } catch (IOException e) {
      throw failure(e);
    }
  }

  /** Writes the first mark of a home, unless there is one; returns the mark that it has then. */
  public StoreMark create(StoreMark.Store store) {
    if (Files.exists(path)) {
      return read().orElseThrow(this::damaged);
    }
    StoreMark mark = new StoreMark(store, null);
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
      return read().orElseThrow(this::damaged);
    } catch (IOException e) {
      throw failure(e);
    }
  }

  void write(StoreMark mark) {
    try {
      Files.move(temporary(mark), path, StandardCopyOption.ATOMIC_MOVE);
      OwnerOnly.sync(path.resolveSibling(""));
    } catch (IOException e) {
      throw failure(e);
    }
  }

  private Path temporary(StoreMark mark) throws IOException {
    OwnerOnly.makeDurableDirectories(path.resolveSibling(""));
    Path temp = Files.createTempFile(path.resolveSibling(""), "store.", ".new", OwnerOnly.FILE);
    WrittenFile.write(temp, mark.json().getBytes(StandardCharsets.UTF_8));
    return temp;
  }

  private StorageException damaged() {
    return new StorageException(path + ", which says where the locks of this home are, is damaged; restore it");
  }

  private StorageException failure(IOException e) {
    return new StorageException("the mark of the home's store, " + path + ", cannot be used: "
        + Errno.describeWithFile(e), e);
  }
}
