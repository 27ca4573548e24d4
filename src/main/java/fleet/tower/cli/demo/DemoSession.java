package fleet.tower.cli.demo;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.Exit;
import fleet.tower.platform.disk.WrittenFile;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonValue;
import fleet.tower.platform.json.JsonWriter;

/**
 * A shell session in a temporary home: it prints each command as a user types it, runs it as a process of its own, and
 * prints its output. One child runs at a time; the service is one. Closing the session ends the child and deletes the
 * home.
 */
final class DemoSession implements AutoCloseable {
  private static final String READY = "tower: ready on ";
  /** The prefixes of variables that would make a command use another home than the temporary one. */
  private static final Set<String> FOREIGN = Set.of("TOWER_", "SERVER_", "SPRING_", "MANAGEMENT_", "LOGGING_", "OTEL_",
      "PG");
  private static final int MILLISECONDS = 60_000;

  private final Path home;
  private final DemoCleaner cleaner;
  private final Consumer<String> printer;
  private @Nullable Process service;
  private String url = "";
  private boolean closed;

  private DemoSession(Path home, DemoCleaner cleaner, Consumer<String> printer) {
    this.home = home;
    this.cleaner = cleaner;
    this.printer = printer;
  }

  static DemoSession open(Consumer<String> printer) throws IOException {
    Path home = Files.createTempDirectory("tower-demo-");
    return new DemoSession(home, DemoCleaner.of(home), printer);
  }

  /** The session did not go as expected. */
  static final class UnexpectedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UnexpectedException(String message) {
      super(message);
    }
  }

  Path home() {
    return home;
  }

  /** Prints an explanation. */
  void explain(String sentence) {
    printer.accept("");
    printer.accept("# " + sentence);
  }

  /** Prints a command that is not run, because it belongs to the user's shell. */
  void show(String command) {
    printer.accept("demo$ " + command);
  }

  /** Writes a file of the home and prints it. */
  void write(String file, String text) throws IOException {
    Path target = home.resolve(file);
    WrittenFile.write(target, text.getBytes(StandardCharsets.UTF_8));
    show("cat $TOWER_HOME/" + file);
    text.lines().forEach(printer);
  }

  /** Runs {@code tower} and requires its exit code. */
  void tower(int exit, String... arguments) throws IOException {
    show("tower " + String.join(" ", arguments));
    run(Set.of(exit), java(arguments));
  }

  /** Runs {@code tower} and requires that the lock refuses it; on a slow machine the lock may be stale already. */
  void refused(String... arguments) throws IOException {
    show("tower " + String.join(" ", arguments));
    run(Set.of(Exit.HELD.code(), Exit.STALE.code()), java(arguments));
  }

  /** Waits as a user does. */
  void sleep(int seconds) throws IOException {
    show("sleep " + seconds);
    run(Set.of(0), List.of("sleep", Integer.toString(seconds)));
  }

  private void run(Set<Integer> exits, List<String> command) throws IOException {
    Process process = start(command);
    try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
      output.lines().forEach(printer);
    }
    requireExit(exits, ended(process));
  }

  private static void requireExit(Set<Integer> expected, int exit) {
    if (!expected.contains(exit)) {
      throw new UnexpectedException("the last command ended with exit code " + exit + ", not as expected");
    }
  }

  /** Starts the service, prints its output until it is ready, and leaves it running. */
  void serve() throws IOException {
    show("tower serve --port 0 &");
    Process started = start(java("serve", "--port", "0"));
    service = started;
    // Not closed: the service would end when it prints its next line.
    BufferedReader output = new BufferedReader(
        new InputStreamReader(started.getInputStream(), StandardCharsets.UTF_8));
    for (String line = output.readLine(); line != null; line = output.readLine()) {
      printer.accept(line);
      if (line.startsWith(READY)) {
        url = line.substring(READY.length());
        return;
      }
    }
    throw new UnexpectedException("the service ended with exit code " + ended(started));
  }

  /** Kills the service, which has no chance to release anything. */
  void killService() {
    Process running = service;
    if (running == null) {
      throw new IllegalStateException("there is no service to kill");
    }
    show("kill -9 " + running.pid());
    running.destroyForcibly();
    ended(running);
  }

  /** Sends a request to the service, requires the status of its answer, and prints some members of it. */
  void post(int status, String path, String header, String body, String... members) throws IOException {
    show("curl -s -H \"$AUTH\" --json '" + body + "'" + (header.isEmpty() ? "" : " -H '" + header + "'") + " \\");
    printer.accept("    " + url + path + " | jq -c '{" + String.join(", ", members) + "}'");
    HttpURLConnection connection = (HttpURLConnection) URI.create(url + path).toURL().openConnection();
    connection.setReadTimeout(MILLISECONDS);
    connection.setDoOutput(true);
    connection.setRequestProperty("Authorization", "Bearer " + Files.readString(home.resolve("state/token")).strip());
    connection.setRequestProperty("Content-Type", "application/json");
    if (!header.isEmpty()) {
      connection.setRequestProperty(header.split(": ", 2)[0], header.split(": ", 2)[1]);
    }
    connection.getOutputStream().write(body.getBytes(StandardCharsets.UTF_8));
    int answered = connection.getResponseCode();
    try (InputStream answer = answered < HttpURLConnection.HTTP_BAD_REQUEST
        ? connection.getInputStream()
        : connection.getErrorStream()) {
      String text = answer == null ? "{}" : new String(answer.readAllBytes(), StandardCharsets.UTF_8);
      printer.accept(selected(text, members));
    }
    if (answered != status) {
      throw new UnexpectedException("the service answered with status " + answered + " instead of " + status);
    }
  }

  /** What {@code jq -c '{member, ...}'} prints. */
  private static String selected(String answer, String... members) {
    try {
      JsonObject object = JsonReader.readObject(answer);
      JsonWriter line = JsonWriter.line();
      for (String member : members) {
        JsonValue value = object.get(member);
        line.raw(member, value == null ? "null" : object.raw(value));
      }
      return line.end();
    } catch (JsonException e) {
      return answer;
    }
  }

  /**
   * The command line of another process of this program. It starts from a start-up cache if this process has one: the
   * service from its own, every other command from that of this process.
   */
  private static List<String> java(String... arguments) {
    List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData", "-Xlog:disable", "-Xlog:all=error:stderr"));
    String cache = System.getProperty("tower.aot", "");
    if (arguments[0].equals("serve")) {
      cache = cache.replaceFirst("-intents[.]aot$", "-serve.aot");
    }
    if (!cache.isEmpty() && Files.isReadable(Path.of(cache))) {
      command.addAll(List.of("-XX:AOTCache=" + cache, "-Xlog:aot*=off:stderr"));
    }
    command.addAll(List.of("-jar", System.getProperty("java.class.path")));
    command.addAll(Arrays.asList(arguments));
    return command;
  }

  private synchronized Process start(List<String> command) throws IOException {
    if (closed) {
      throw new UnexpectedException("the session is closed");
    }
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().keySet().removeIf(name -> FOREIGN.stream().anyMatch(name::startsWith));
    builder.environment().put("TOWER_HOME", home.toString());
    Process process = builder.start();
    cleaner.childIs(process.pid());
    process.getOutputStream().close();
    return process;
  }

  private int ended(Process process) {
    try {
      int exit = process.waitFor();
      forgetChild();
      return exit;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UnexpectedException("interrupted");
    }
  }

  private synchronized void forgetChild() {
    if (!closed) {
      cleaner.childHasEnded();
    }
  }

  /** Whether the session was closed, by its end or by a signal. */
  synchronized boolean isClosed() {
    return closed;
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    cleaner.close();
  }
}
