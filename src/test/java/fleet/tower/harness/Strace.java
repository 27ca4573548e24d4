package fleet.tower.harness;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * System calls of a process and of those that it starts, recorded by strace with the paths of open files.
 *
 * @param trace the file that receives the calls, one per line
 */
public record Strace(Path trace) {

  /** The command under strace; skips the test if this machine does not have it or does not let it trace. */
  public List<String> of(String calls, List<String> command) {
    List<String> traced = new ArrayList<>(
        List.of("strace", "-f", "-y", "-s", "32", "-e", "trace=" + calls, "-o", trace.toString()));
    assumeTrue(canRun(traced), "strace is not installed here, or may not trace");
    traced.addAll(command);
    return traced;
  }

  /**
   * Attaches to a running process, and kills it with SIGKILL at a call: the so-many-th of these calls that one of its
   * threads makes. Skips the test if this machine does not have strace or does not let it trace.
   *
   * @return strace itself; the process goes on without it when it is killed
   */
  public Process killAt(long pid, String calls, int call) throws IOException {
    assumeTrue(canRun(List.of("strace", "-o", "/dev/null")), "strace is not installed here, or may not trace");
    Path words = trace.resolveSibling(trace.getFileName() + ".words");
    Process strace = new ProcessBuilder("strace", "-f", "-p", Long.toString(pid), "-e", "trace=" + calls, "-e",
        "inject=" + calls + ":signal=KILL:when=" + call, "-o", trace.toString())
        .redirectOutput(ProcessBuilder.Redirect.DISCARD).redirectError(words.toFile()).start();
    Await.until("strace is attached", () -> !strace.isAlive() || TestFiles.textIfAny(words).contains("attached"));
    return strace;
  }

  private static boolean canRun(List<String> strace) {
    List<String> probe = new ArrayList<>(strace);
    probe.add("true");
    try {
      return Await.exitOf(new ProcessBuilder(probe).redirectErrorStream(true)
          .redirectOutput(ProcessBuilder.Redirect.DISCARD).start()) == 0;
    } catch (IOException notInstalled) {
      return false;
    }
  }

  /** The calls since the last start. */
  public List<String> calls() {
    return TestFiles.text(trace).lines().toList();
  }

  /** Whether a call syncs a file or directory. */
  public static boolean isSync(String call, Path path) {
    return call.contains("sync(") && call.contains("<" + path + ">");
  }

  /** The line of the first such call from a line on; fails if there is none. */
  public static int first(List<String> calls, int from, Predicate<String> wanted) {
    for (int i = from; i < calls.size(); i++) {
      if (wanted.test(calls.get(i))) {
        return i;
      }
    }
    throw new AssertionError("no such call behind line " + from + " of\n" + String.join("\n", calls));
  }
}
