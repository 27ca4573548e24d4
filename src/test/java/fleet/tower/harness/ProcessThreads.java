package fleet.tower.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The threads of another process, which show how far it is. */
public final class ProcessThreads {
  private ProcessThreads() {}

  /** Their names, of which the kernel keeps 15 characters; empty if the process has ended. */
  public static Set<String> names(Process process) {
    try (Stream<Path> threads = Files.list(Path.of("/proc/" + process.pid() + "/task"))) {
      return threads.map(ProcessThreads::name).collect(Collectors.toSet());
    } catch (IOException | UncheckedIOException ended) {
      return Set.of();
    }
  }

  /** The name of a thread; empty if it has ended. */
  private static String name(Path thread) {
    try {
      return Files.readString(thread.resolve("comm")).strip();
    } catch (IOException ended) {
      return "";
    }
  }
}
