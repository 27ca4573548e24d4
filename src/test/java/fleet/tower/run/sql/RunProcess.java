package fleet.tower.run.sql;

import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import fleet.tower.harness.LineProcess;
import fleet.tower.lock.file.ChildJvm;

/** Another process with the runs of a home, which does what it is told line by line; killed with its test. */
final class RunProcess implements AutoCloseable {
  private final LineProcess process;

  private RunProcess(List<String> command) {
    process = new LineProcess(command);
  }

  static RunProcess on(Path database) {
    return new RunProcess(command(database));
  }

  /**
   * The process started by a shell line that ends with {@code exec "$@"}; {@code $0} is the directory of the database.
   */
  static RunProcess behind(List<String> wrapper, String shell, Path database) {
    List<String> command = new ArrayList<>(wrapper);
    command.addAll(List.of("sh", "-c", shell, database.resolveSibling("").toString()));
    command.addAll(command(database));
    return new RunProcess(command);
  }

  private static List<String> command(Path database) {
    return ChildJvm.commandOnDatabase(RunProcessMain.class, "jdbc:sqlite:" + database);
  }

  /** Sends a command and waits for the answer; the timeout of the test limits it. */
  String ask(String order) {
    tell(order);
    return answer();
  }

  /** A process that has already ended gives no answer. */
  void tell(String order) {
    try {
      process.tell(order);
    } catch (UncheckedIOException e) {
      if (process.process().isAlive()) {
        throw e;
      }
    }
  }

  /** The next line, except messages of a logging library about itself. */
  String answer() {
    String line = process.answer();
    while (line.startsWith("SLF4J")) {
      line = process.answer();
    }
    return line;
  }

  /** Closes its input, so that it ends. */
  void endOrders() {
    process.endOrders();
  }

  /** Sends SIGKILL; output from before can still be read. */
  void kill() {
    process.process().toHandle().destroyForcibly();
    awaitEnd();
  }

  /**
   * Polls instead of {@code onExit}, which needs the common pool: on two processors that has one thread, which another
   * test may block.
   */
  private void awaitEnd() {
    try {
      process.process().waitFor();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** The rest of its output after it ended or was killed. */
  List<String> rest() {
    List<String> rest = new ArrayList<>();
    for (String line = answer(); !line.equals("null"); line = answer()) {
      rest.add(line);
    }
    return rest;
  }

  @Override
  public void close() {
    process.close();
    awaitEnd();
  }
}
