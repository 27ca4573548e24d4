package fleet.tower.harness;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A child process that answers each line with a line; killed with its test, whatever happens. */
public final class LineProcess implements AutoCloseable {
  private final Process process;
  private final BufferedReader answers;
  private final Writer orders;

  public LineProcess(List<String> command) {
    try {
      process = new ProcessBuilder(command).redirectErrorStream(true).start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    answers = process.inputReader(StandardCharsets.UTF_8);
    orders = process.outputWriter(StandardCharsets.UTF_8);
  }

  public Process process() {
    return process;
  }

  /** Says something and waits for the answer; the timeout of the test bounds it. */
  public String ask(String order) {
    tell(order);
    return answer();
  }

  public void tell(String order) {
    try {
      orders.write(order + "\n");
      orders.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public String answer() {
    try {
      return String.valueOf(answers.readLine());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Closes its input, so that it ends. */
  public void endOrders() {
    try {
      orders.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Ends the process and returns its remaining output. */
  public List<String> end() {
    endOrders();
    List<String> rest = answers.lines().toList();
    Await.exitOf(process);
    return rest;
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
