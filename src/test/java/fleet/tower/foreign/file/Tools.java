package fleet.tower.foreign.file;

import static fleet.tower.lease.Actors.ORIGIN;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import fleet.tower.foreign.ForeignLock;
import fleet.tower.foreign.ForeignName;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.file.ChildJvm;
import fleet.tower.platform.time.SystemTime;

/** Other tools' programs for tests: running, killed, and with the files that they write. */
final class Tools {
  private Tools() {}

  static ForeignLock open(String name) {
    return new ForeignFiles(Path.of("/"), SystemTime.source(), SystemTime.scheduler()).opener()
        .open(ForeignName.parse(name));
  }

  /** A claim of this process, for a run of this name. */
  static ForeignLock.Claim claim(String run) {
    return new ForeignLock.Claim(new RequestId(run), "tower/test", "1.0.0", ProcessHandle.current().pid(), run, ORIGIN);
  }

  static ForeignLock.Hold granted(ForeignLock.Hold.Outcome outcome) {
    return switch (outcome) {
      case ForeignLock.Hold.Granted granted -> granted.hold();
      case ForeignLock.Hold.Refused(var why) -> throw new AssertionError("refused: " + why);
    };
  }

  static Process start(String... command) {
    try {
      return new ProcessBuilder(command).redirectErrorStream(true).start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Runs a program to its end. */
  static int exit(String... command) {
    return ChildJvm.exitCode(start(command));
  }

  /** The output of a program. */
  static String out(List<String> command) {
    Process process = start(command.toArray(String[]::new));
    try {
      String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      ChildJvm.exitCode(process);
      return out.strip();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The number of a process that was really killed, and is gone. */
  static long killed() {
    Process process = start("sleep", "600");
    process.destroyForcibly();
    ChildJvm.exitCode(process);
    return process.pid();
  }

  /** This machine's name as a shell has it. */
  static String hostname() {
    return out(List.of("uname", "-n"));
  }

  /** A lock file as the document's shell example writes it. */
  static String exclusiveLock(String holder, long pid, String hostname) {
    return """
        {
        "holder": "%s",
        "pid": %d,
        "hostname": "%s",
        "started_at": "2025-10-25T12:00:00Z",
        "version": "1.0.0"
        }
        """.formatted(holder, pid, hostname);
  }

  static void write(Path file, String text) {
    try {
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The names in a directory. */
  static List<String> list(Path directory) {
    try (var files = Files.list(directory)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
