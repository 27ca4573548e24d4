package fleet.tower.lock.file;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.stream.Stream;

import fleet.tower.platform.disk.Journal;

/** What a power cut leaves of a lock directory, and the boot after it. */
final class PowerCut {
  private PowerCut() {}

  /** The next process takes the journal for that of an earlier boot: its header, the first line, is gone. */
  static void reboot(Path locks) {
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

  /** Loses every lock and counter. */
  static void loseAll(Path locks) {
    try (Stream<Path> files = Files.list(locks)) {
      for (Path file : files.filter(file -> file.toString().endsWith(".lock") || file.toString().endsWith(".fence"))
          .toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
