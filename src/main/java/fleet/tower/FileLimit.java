package fleet.tower;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import fleet.tower.platform.Exit;
import fleet.tower.platform.disk.OpenFiles;
import fleet.tower.platform.text.Console;

/**
 * The number of files that this process may open. If it is too low, the JVM cannot even load classes, and fails with an
 * error that names one of them.
 */
final class FileLimit {
  /** A service without a call has about half as many open. */
  private static final long ENOUGH = 256;
  private static final Pattern LIMIT = Pattern.compile("Max open files\\s+(\\d+)");

  private FileLimit() {}

  /** The exit code of a program that failed for lack of open files, which is explained; rethrows any other failure. */
  static int explain(Error failure, Console console) {
    String shortage = shortage();
    if (shortage.isEmpty()) {
      throw failure;
    }
    console.words("tower: " + shortage + " (" + failure + "); " + OpenFiles.REMEDY);
    return Exit.UNAVAILABLE.code();
  }

  /** What is wrong with the limit; empty for nothing. */
  private static String shortage() {
    try {
      Matcher limit = LIMIT.matcher(Files.readString(Path.of("/proc/self/limits")));
      return limit.find() && Long.parseLong(limit.group(1)) < ENOUGH
          ? "this process may open only " + limit.group(1) + " files, which is too few"
          : "";
    } catch (IOException e) {
      return "this process can open no more files";
    }
  }
}
