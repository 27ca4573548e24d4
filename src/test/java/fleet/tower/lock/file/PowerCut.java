package fleet.tower.lock.file;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.Stream;

import fleet.tower.platform.disk.Journal;

/** What a power cut leaves of a lock directory, and the boot after it. */
public final class PowerCut {
  private static final List<String> LOST = List.of(".lock", ".granted", ".restored", ".fence");

  private PowerCut() {}

  /** The next process takes the journal for that of an earlier boot: its header, the first line, is gone. */
  public static void reboot(Path locks) {
    Path journal = locks.resolve(Journal.CURRENT);
    String text = new String(FileFixture.read(journal), StandardCharsets.UTF_8);
    FileFixture.write(journal, text.substring(text.indexOf('\n', 1)).getBytes(StandardCharsets.UTF_8));
  }

  /** Copies a directory of files. */
  static Path copy(Path from, Path to) {
    try (Stream<Path> files = Files.list(from)) {
      Files.createDirectories(to);
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(file.getFileName()), StandardCopyOption.COPY_ATTRIBUTES);
      }
      return to;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Loses the name of a lock file, and so its witness, which comes after it. */
  static void loseName(Path lock) {
    loseWitness(lock);
    try {
      Files.delete(lock);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Loses the witness of the lock of a name, as if the last change of its file was lost. */
  static void loseWitness(Path lock) {
    try (Stream<Path> files = Files.list(lock.resolveSibling(""))) {
      String name = lock.getFileName().toString().replace(".lock", "");
      for (Path file : files.filter(file -> Witnesses.grantOf(file.getFileName().toString())
          .filter(grant -> grant.name().value().equals(name)).isPresent()).toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Loses the witnesses of all locks, so that a lock that was removed by hand looks like one that the cut has taken. */
  public static void loseWitnesses(Path locks) {
    lose(locks, List.of(".granted", ".restored"));
  }

  /** Loses every lock with its witness, and every counter. */
  static void loseAll(Path locks) {
    lose(locks, LOST);
  }

  private static void lose(Path locks, List<String> suffixes) {
    try (Stream<Path> files = Files.list(locks)) {
      for (Path file : files.filter(file -> suffixes.stream().anyMatch(file.toString()::endsWith)).toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
