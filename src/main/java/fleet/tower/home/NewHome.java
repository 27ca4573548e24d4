package fleet.tower.home;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import fleet.tower.lock.file.FileLocks;
import fleet.tower.platform.Finding;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.disk.Errno;
import fleet.tower.platform.disk.OwnerOnly;
import fleet.tower.platform.disk.WrittenFile;

/**
 * Creates the parts of a home. Keeps existing ones, so that a second call changes nothing.
 *
 * @param root the home's directory, which need not exist
 */
public record NewHome(Path root) {
  /** The directories that identify a home. */
  private static final List<String> MARKS = List.of("intents", "config");

  /**
   * The entries that an empty directory may have: parts of a home, which may be mounted, and those of the file system.
   */
  private static final Set<String> PARTS = Set.of("intents", "config", "logs", "state", "lost+found");

  /** Before the intents, since a directory counts as a home once its last part exists. */
  private static final List<String> DIRECTORIES = List.of("logs", "logs/locks", "state", "config");

  static boolean isHome(Path directory) {
    return missing(directory).isEmpty();
  }

  /** The identifying directories that are missing. */
  static List<String> missing(Path directory) {
    return MARKS.stream().filter(mark -> !Files.isDirectory(directory.resolve(mark))).map(mark -> mark + "/").toList();
  }

  /** Whether a directory is absent, or contains only parts of a home. */
  static boolean isVacant(Path directory) {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.allMatch(entry -> PARTS.contains(entry.getFileName().toString()) && Files.isDirectory(entry));
    } catch (IOException e) {
      return Files.notExists(directory, LinkOption.NOFOLLOW_LINKS);
    }
  }

  /** Creates what is missing; returns the names of what it created. */
  public List<String> create() {
    if (Files.exists(root, LinkOption.NOFOLLOW_LINKS) && !Files.isDirectory(root)) {
      throw NoHomeException.cannotBecome(root, "it is not a directory");
    }
    List<String> created = new ArrayList<>();
    try {
      for (String directory : DIRECTORIES) {
        createDirectory(directory, created);
      }
      createFile(".gitignore", "gitignore", created);
      // No example in an existing intents/: it would become runnable there.
      if (createDirectory("intents", created)) {
        createFile("intents/hello.yaml", "hello.yaml", created);
      }
    } catch (IOException e) {
      throw new StorageException(root + " cannot become a home: " + Errno.describeWithFile(e), e);
    }
    return created;
  }

  /** What an operator should know about the place of the home's locks; empty if nothing. */
  public Optional<String> warning() {
    try {
      Finding place = FileLocks.fileSystem(root.resolve("logs/locks"));
      return place.severity() == Finding.Severity.OK
          ? Optional.empty()
          : Optional.of(place.message() + "; " + place.remedy());
    } catch (IOException unknown) {
      return Optional.empty();
    }
  }

  private boolean createDirectory(String name, List<String> created) throws IOException {
    Path directory = root.resolve(name);
    if (Files.isDirectory(directory)) {
      return false;
    }
    OwnerOnly.makeDirectories(directory);
    created.add(name + "/");
    return true;
  }

  private void createFile(String name, String resource, List<String> created) throws IOException {
    Path file = root.resolve(name);
    if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    try (InputStream in = NewHome.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException(resource + " is missing from the jar");
      }
      try (OutputStream out = Channels.newOutputStream(WrittenFile.create(file))) {
        in.transferTo(out);
      }
      created.add(name);
    } catch (FileAlreadyExistsException createdConcurrently) {
      return;
    }
  }
}
