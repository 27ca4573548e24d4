package fleet.tower.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The text of files, for conditions and assertions. */
public final class TestFiles {
  private TestFiles() {}

  public static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What is in a directory. */
  public static List<Path> in(Path directory) {
    try (Stream<Path> all = Files.list(directory)) {
      return all.toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The files of a directory, and of those in it, that contain a text. */
  public static List<Path> containing(Path directory, String text) {
    try (Stream<Path> files = Files.walk(directory)) {
      List<Path> found = new ArrayList<>();
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        if (Files.readString(file, StandardCharsets.ISO_8859_1).contains(text)) {
          found.add(file);
        }
      }
      return found;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Creates a directory, if it is not there. */
  public static Path directory(Path directory) {
    try {
      return Files.createDirectories(directory);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A hard link, as a program may delete it; a symbolic one where the file system has no other. */
  public static void link(Path link, Path file) {
    try {
      Files.createLink(link, file);
    } catch (FileSystemException e) {
      symbolicLink(link, file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void symbolicLink(Path link, Path file) {
    try {
      Files.createSymbolicLink(link, file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static void write(Path file, String text) {
    try {
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The text of a file that may not exist yet: empty until it does. */
  public static String textIfAny(Path file) {
    return Files.exists(file) ? text(file) : "";
  }
}
