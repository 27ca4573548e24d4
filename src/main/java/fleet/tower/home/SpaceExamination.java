package fleet.tower.home;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

import fleet.tower.platform.check.Examination;
import fleet.tower.platform.check.Finding;

/** Whether there is room for locks, the log, and what steps print: a lock that cannot be renewed goes stale. */
final class SpaceExamination implements Examination {
  private static final long MEBIBYTE = 1 << 20;
  private static final long LEAST_BYTES = 100 * MEBIBYTE;
  private static final long LEAST_FILES = 1_000;

  private final Path root;

  SpaceExamination(Path root) {
    this.root = root;
  }

  @Override
  public List<Finding> examine() {
    if (!Files.isDirectory(root)) {
      return List.of();
    }
    try {
      Finding space = space(root, Files.getFileStore(root).getUsableSpace());
      OptionalLong files = freeFiles();
      return files.isEmpty() ? List.of(space) : List.of(space, files(root, files.getAsLong()));
    } catch (IOException e) {
      return List.of(Finding.warn("free space", "it is not known how much " + root + " has: " + e.getMessage(),
          "look with `df " + root + "`"));
    }
  }

  /** What so many bytes mean. */
  static Finding space(Path root, long bytes) {
    String left = bytes / MEBIBYTE + " MiB";
    return bytes < LEAST_BYTES
        ? Finding.warn("free space", root + " has " + left + " left", "make room, or locks cannot be renewed soon")
        : Finding.ok("free space", left);
  }

  /** What room for so many files means. */
  static Finding files(Path root, long count) {
    return count < LEAST_FILES
        ? Finding.warn("free inodes", root + " has room for " + count + " more files",
            "remove files, or locks cannot be renewed soon")
        : Finding.ok("free inodes", String.valueOf(count));
  }

  /** Java does not know; nothing where {@code stat} does not either, or the file system has no such limit. */
  private OptionalLong freeFiles() throws IOException {
    ProcessBuilder stat = new ProcessBuilder("stat", "-f", "-c", "%c %d", root.toString())
        .redirectError(ProcessBuilder.Redirect.DISCARD);
    try {
      Process process = stat.start();
      process.getOutputStream().close();
      try (BufferedReader out = process.inputReader(StandardCharsets.US_ASCII)) {
        String line = out.readLine();
        return line != null && line.matches("[1-9]\\d{0,17} \\d{1,18}")
            ? OptionalLong.of(Long.parseLong(line.substring(line.indexOf(' ') + 1)))
            : OptionalLong.empty();
      }
    } catch (IOException noSuchProgram) {
      return OptionalLong.empty();
    }
  }
}
