package fleet.tower.service.mcp.stdio;

import static fleet.tower.service.mcp.stdio.ClientMessages.cancelled;
import static fleet.tower.service.mcp.stdio.ClientMessages.initialize;
import static fleet.tower.service.mcp.stdio.ClientMessages.legacy;
import static fleet.tower.service.mcp.stdio.ClientMessages.modern;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Await;
import fleet.tower.harness.JavaProcess;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.harness.TestFiles;
import fleet.tower.harness.TestRelease;
import fleet.tower.service.config.TestService;

@DisplayName("tower mcp as a process of a client")
class StdioProcessTest {
  private final Path home;
  private final Path err;
  private final List<Process> started = new ArrayList<>();

  StdioProcessTest(@TempDir Path directory) {
    home = directory.resolve("home");
    err = directory.resolve("err");
    TestService.makeHome(home);
    TestService.declare(home, "work", """
        mode: mutate
        controls: { lock: work }
        timeouts: { lock_ttl: 300 }
        steps:
          - name: work
            script: |
              echo $$ >"$TOWER_HOME/pid"
              echo printed by the step
              until [ -e "$TOWER_HOME/go" ]; do sleep 0.05; done
            rollback: [bash, -c, 'touch "$TOWER_HOME/undone"']
        """);
  }

  @AfterEach
  void end() {
    started.forEach(process -> {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    });
  }

  /** A client and its server. */
  private record Client(Process server, OutputStream out, BufferedReader in) {
    void send(String... lines) throws IOException {
      out.write((String.join("\n", lines) + "\n").getBytes(StandardCharsets.UTF_8));
      out.flush();
    }

    String next() throws IOException {
      return String.valueOf(in.readLine());
    }

    String ask(String line) throws IOException {
      send(line);
      return next();
    }
  }

  private Client client() throws IOException {
    Process process = start(JavaProcess.command(StdioMain.class, "mcp", "--actor", "agent-7"));
    return new Client(process, process.getOutputStream(), process.inputReader(StandardCharsets.UTF_8));
  }

  private Process start(List<String> command) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command).redirectError(err.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("TOWER_"));
    builder.environment().put("TOWER_HOME", home.toString());
    builder.environment().put("TOWER_LOCK_INSECURE_DIRECTORY", "true");
    Process process = builder.start();
    started.add(process);
    return process;
  }

  /** The output of a command in a second process. */
  private String tower(String... line) throws IOException {
    Process process = start(TestRelease.command(line[0].equals("runs") ? "intents" : "locks", List.of(), line));
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    Await.exitOf(process);
    return printed;
  }

  private String locks() {
    try {
      return tower("locks", "work", "--json");
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Begins a run and waits until its step has begun; returns the pid of the step. */
  private long begin(Client client, String id) throws IOException {
    client.send(modern(1, "test/run", "\"intent\":\"work\",\"request_id\":\"" + id + "\""));
    Await.until("the step has begun", () -> !TestFiles.textIfAny(home.resolve("pid")).isBlank());
    return Long.parseLong(TestFiles.text(home.resolve("pid")).strip());
  }

  private static boolean isAlive(long pid) {
    return ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isPresent();
  }

  @Test
  @DisplayName("It speaks both revisions on one connection, and ends with its input")
  void revisions() throws Exception {
    Client client = client();

    assertThat(client.ask(initialize(1))).contains("\"id\":1", "\"protocolVersion\":\"2025-11-25\"");
    assertThat(client.ask(legacy(2, "ping", ""))).isEqualTo("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}");
    assertThat(client.ask(modern(3, "server/discover", "")))
        .contains("\"id\":3", "\"supportedVersions\":[\"2026-07-28\",\"2025-11-25\"]");
    assertThat(client.ask(modern(4, "test/echo", "\"text\":\"ü\u2028\""))).contains("\"echo\":\"ü\"");
    client.out().close();

    assertThat(client.next()).isEqualTo("null");
    assertThat(Await.exitOf(client.server())).isZero();
    assertThat(TestFiles.text(err)).doesNotContain("tower: warning: a request failed");
  }

  @Test
  @DisplayName("A line that is not a message is answered with an error, and the next one with its answer")
  void garbage() throws Exception {
    Client client = client();

    assertThat(client.ask("no JSON")).contains("\"code\":-32700").doesNotContain("\"id\"");
    assertThat(client.ask("[]")).contains("\"code\":-32600");
    assertThat(client.ask("{\"jsonrpc\":\"2.0\",\"id\":7}")).contains("\"code\":-32600", "\"id\":7");
    client.out().write(new byte[]{'"', (byte) 0xff, '"', '\n'});
    client.out().flush();
    assertThat(client.next()).contains("\"code\":-32700");
    assertThat(client.ask("\"" + "x".repeat(3 << 20) + "\"")).isEqualTo("{\"jsonrpc\":\"2.0\",\"error\":{\"code\":"
        + "-32600,\"message\":\"the message is longer than 1048576 bytes\"}}");
    assertThat(client.ask("\r\n  \n" + legacy(8, "test/echo", "\"text\":\"" + "y".repeat(1_000_000) + "\"")))
        .contains("\"id\":8", "yyy\"");
    client.out().write(legacy(9, "test/echo", "\"text\":\"without a line feed\"").getBytes(StandardCharsets.UTF_8));
    client.out().close();
    assertThat(client.next()).contains("\"id\":9", "\"echo\":\"without a line feed\"");
  }

  @Test
  @DisplayName("Requests are answered concurrently; a cancelled one gets no further message, and its id is free again")
  void concurrent() throws Exception {
    Client client = client();

    assertThat(client.ask(modern(1, "test/wait", "")))
        .isEqualTo("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/test\",\"params\":{\"waits\":true}}");
    assertThat(client.ask(modern(2, "test/echo", "\"text\":\"meanwhile\""))).contains("\"id\":2", "meanwhile");
    assertThat(client.ask(modern(1, "test/echo", ""))).contains("\"id\":1", "\"code\":-32600",
        "a request with this id has no answer yet; use another id");
    client.send(cancelled(99), cancelled(1));
    assertThat(client.ask(modern(3, "test/echo", "\"text\":\"after\""))).contains("\"id\":3", "after");
    Await.until("the id is free", () -> {
      try {
        return client.ask(modern(1, "test/echo", "\"text\":\"again\"")).contains("again");
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    });
    client.out().close();
    assertThat(client.next()).isEqualTo("null");
  }

  @Test
  @DisplayName("At the end of the input, waits end with an answer, and a run that has started continues to its end")
  void endOfInput() throws Exception {
    Client client = client();
    begin(client, "run-1");
    client.send(modern(2, "test/wait", ""), modern(3, "test/run",
        "\"intent\":\"work\",\"request_id\":\"run-2\",\"wait_seconds\":600"));
    assertThat(client.next()).contains("\"waits\":true");
    Await.until("the second run waits", () -> locks().contains("\"waiters\":1"));

    client.out().close();

    List<String> last = List.of(client.next(), client.next(), client.next(), client.next());
    assertThat(last).anyMatch(line -> line.contains("\"waits\":false"))
        .anyMatch(line -> line.contains("\"id\":2") && line.contains("\"ended\":true"))
        .anyMatch(line -> line.contains("\"id\":1") && line.contains("\"status\":\"running\""))
        .anyMatch(line -> line.contains("\"id\":3") && line.contains("\"status\":\"waiting\""));
    assertThat(client.server().isAlive()).isTrue();
    assertThat(tower("locks", "--json")).contains("\"request_id\":\"run-1\"");
    Files.createFile(home.resolve("go"));
    assertThat(client.next()).as("nothing more").isEqualTo("null");
    assertThat(Await.exitOf(client.server())).isZero();
    assertThat(tower("runs", "run-1", "--json")).contains("\"status\":\"succeeded\"", "\"actor\":\"agent-7\"");
    assertThat(tower("runs", "run-2", "--json")).doesNotContain("\"status\":\"succeeded\"");
    assertThat(tower("locks")).isEqualTo("no locks\n");
    assertThat(tower("audit", "--request-id", "run-1")).contains("\"door\":\"mcp\"");
  }

  @Test
  @DisplayName("SIGTERM cancels its run, which is rolled back and answered, and exits with 143")
  @ProofsProfile
  void terminated() throws Exception {
    Client client = client();
    long step = begin(client, "run-1");

    client.server().toHandle().destroy();

    assertThat(client.next()).contains("\"id\":1", "\"status\":\"cancelled\"");
    assertThat(client.next()).isEqualTo("null");
    assertThat(Await.exitOf(client.server())).isEqualTo(143);
    assertThat(isAlive(step)).isFalse();
    assertThat(home.resolve("undone")).exists();
    assertThat(tower("locks")).isEqualTo("no locks\n");
  }

  @Test
  @DisplayName("SIGTERM after the end of the input cancels the run that continued")
  @ProofsProfile
  void terminatedLater() throws Exception {
    Client client = client();
    begin(client, "run-1");
    client.out().close();
    assertThat(client.next()).contains("\"id\":1", "\"status\":\"running\"");

    client.server().toHandle().destroy();

    assertThat(Await.exitOf(client.server())).isEqualTo(143);
    assertThat(home.resolve("undone")).exists();
    assertThat(tower("runs", "run-1", "--json")).contains("\"status\":\"cancelled\"");
  }

  @Test
  @DisplayName("If it is killed, its step ends, and the next process sees an interrupted run and a holder that is gone")
  @ProofsProfile
  void killed() throws Exception {
    Client client = client();
    long step = begin(client, "run-1");

    client.server().destroyForcibly();

    Await.until("the step's end", () -> !isAlive(step));
    Client next = client();
    assertThat(next.ask(modern(1, "test/run", "\"intent\":\"work\",\"request_id\":\"run-1\"")))
        .as("the same request is the same run").contains("\"status\":\"interrupted\"");
    assertThat(next.ask(modern(2, "test/run", "\"intent\":\"work\",\"request_id\":\"run-2\"")))
        .contains("\"refused\":\"OwnRefused\"");
    assertThat(tower("locks", "work", "--json")).contains("\"holder\":\"gone\"");
    assertThat(home.resolve("undone")).doesNotExist();
  }

  @Test
  @DisplayName("Without a home, and with a wrong role, it prints why on stderr and nothing on stdout")
  void refused() throws Exception {
    Process wrong = start(TestRelease.command("mcp", List.of(), "mcp", "--role", "operater"));
    assertThat(wrong.getInputStream().readAllBytes()).isEmpty();
    assertThat(Await.exitOf(wrong)).isEqualTo(64);
    assertThat(TestFiles.text(err))
        .contains("tower: --role 'operater' must be agent or operator; did you mean operator?");
    Files.delete(home.resolve("config"));

    Process homeless = start(TestRelease.command("mcp", List.of(), "mcp"));
    assertThat(homeless.getInputStream().readAllBytes()).isEmpty();
    assertThat(Await.exitOf(homeless)).isEqualTo(64);
    assertThat(TestFiles.text(err)).contains("is not a home");
  }
}
