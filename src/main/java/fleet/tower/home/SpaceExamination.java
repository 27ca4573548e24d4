package fleet.tower.home;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

import fleet.tower.platform.Examination;
import fleet.tower.platform.Finding;

/** Checks for free space for locks, the audit log and the output of steps: a lock that cannot be renewed goes stale. */
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
      return List.of(Finding.warn("free space", "cannot determine the free space of " + root + ": " + e.getMessage(),
          "check with `df " + root + "`"));
    }
  }

  /** The finding for an amount of free space. */
  static Finding space(Path root, long bytes) {
    String left = bytes / MEBIBYTE + " MiB";
    return bytes < LEAST_BYTES
        ? Finding.warn("free space", root + " has " + left + " left",
            "free some space; without it, locks cannot be renewed")
        : Finding.ok("free space", left);
  }

  /** The finding for a number of free inodes. */
  static Finding files(Path root, long count) {
    return count < LEAST_FILES
        ? Finding.warn("free inodes", root + " has room for " + count + " more files",
            "remove files; without free inodes, locks cannot be renewed")
        : Finding.ok("free inodes", String.valueOf(count));
  }

  /**
   * The number of free inodes, from {@code stat}, since Java does not provide it; empty if {@code stat} does not
   * either, or the file system has no limit.
   */
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
