package fleet.tower.cli.demo;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * A shell process that ends the demo's child and deletes its home as soon as its input ends. The input also ends if the
 * demo is killed, so nothing remains then either. It ignores the signals that a terminal sends to the whole process
 * group.
 */
final class DemoCleaner implements AutoCloseable {
  /**
   * Each input line is the pid of the running child, or empty if there is none. The child may write until it has ended.
   */
  private static final String SCRIPT = """
      trap '' HUP INT QUIT TERM
      child=
      while read -r line; do child=$line; done
      if [ -n "$child" ]; then kill -9 "$child"; fi
      for _ in 1 2 3 4 5; do
        rm -rf -- "$1" && sleep 0.1
        [ -e "$1" ] || exit 0
      done
      """;

  private final Process process;

  private DemoCleaner(Process process) {
    this.process = process;
  }

  static DemoCleaner of(Path home) throws IOException {
    return new DemoCleaner(new ProcessBuilder("sh", "-c", SCRIPT, "tower-demo", home.toString())
        .redirectOutput(Redirect.DISCARD).redirectError(Redirect.DISCARD).start());
  }

  /** Notes the only running child. */
  void childIs(long pid) {
    note(Long.toString(pid));
  }

  /** Notes that the child has ended, so that its pid may belong to another process. */
  void childHasEnded() {
    note("");
  }

  private void note(String line) {
    try {
      OutputStream input = process.getOutputStream();
      input.write((line + "\n").getBytes(StandardCharsets.US_ASCII));
      input.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns when the child has been killed and the home deleted. */
  @Override
  public void close() {
    try {
      process.getOutputStream().close();
      process.waitFor();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
