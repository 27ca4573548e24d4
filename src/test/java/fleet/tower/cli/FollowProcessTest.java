package fleet.tower.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import com.sun.net.httpserver.HttpServer;

import fleet.tower.harness.Await;
import fleet.tower.harness.Installation;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.harness.ServiceProcess;
import fleet.tower.harness.TestHome;

/** Tests {@code tower audit --follow} as a process, on files and through a service. */
class FollowProcessTest {
  private static final Pattern REQUEST = Pattern.compile("lock_acquired\",\"request_id\":\"(\\w+)\"");
  private final Installation tower;
  private final TestHome home;
  private final Path directory;
  private final List<Process> started = new ArrayList<>();

  FollowProcessTest(@TempDir Path directory) {
    this.directory = directory;
    tower = new Installation(directory.resolve("release")).with("TOWER_LOCK_INSECURE_DIRECTORY", "true");
    home = new TestHome(tower.home());
  }

  @AfterEach
  void end() {
    started.forEach(Await::kill);
  }

  private Process start(String name, String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of(tower.launcher().toString()));
    command.addAll(List.of(arguments));
    Process process = tower.start(command, directory.resolve(name), directory.resolve(name + ".err"));
    started.add(process);
    return process;
  }

  private String text(String name) {
    return TestHome.text(directory.resolve(name));
  }

  private List<String> told() {
    Matcher request = REQUEST.matcher(text("follower"));
    List<String> told = new ArrayList<>();
    while (request.find()) {
      told.add(request.group(1));
    }
    return told;
  }

  private void event(String request) {
    assertThat(home.tower("lock prod-" + request + " --request-id " + request).exit()).isZero();
  }

  private void awaitTold(String... requests) {
    Await.until("it has told " + List.of(requests), () -> told().size() >= requests.length);
    assertThat(told()).containsExactly(requests);
  }

  @ParameterizedTest
  @CsvSource({"INT, 130", "TERM, 143"})
  @DisplayName("LK-32 prints past and new events, as JSON lines with --json, until a signal ends it as it ends tail -f")
  void signals(String signal, int exit) throws Exception {
    event("r1");
    Process follower = start("follower", "audit", "--follow", "--since", "1h", "--json");
    awaitTold("r1");
    event("r2");
    awaitTold("r1", "r2");
    Await.until("it has printed the second event of r2 too", () -> text("follower").lines().count() == 4);

    tower.run(List.of("bash", "-c", "kill -" + signal + " " + follower.pid()));

    assertThat(Await.exitOf(follower)).isEqualTo(exit);
    assertThat(text("follower").lines()).hasSize(4)
        .allMatch(line -> line.matches("\\{\"event\":\"lock_(acquired|actor)\".*"));
    assertThat(text("follower.err")).isEmpty();
  }

  private Matcher ready(Process service, String name) {
    return ServiceProcess.awaitReady(service, directory.resolve(name), directory.resolve(name + ".err"));
  }

  @Test
  @DisplayName("Through a service that is killed and restarted, no event is lost or printed twice")
  @ProofsProfile
  void serviceComesBack() throws Exception {
    Process first = start("service", "serve", "--port", "0");
    Matcher ready = ready(first, "service");
    tower.with("TOWER_TOKEN_FILE", tower.home().resolve("state/token").toString());
    event("r1");
    start("follower", "audit", "--follow", "--since", "1h", "--server", ready.group(1));
    awaitTold("r1");
    event("r2");
    awaitTold("r1", "r2");

    first.destroyForcibly().waitFor();
    event("r3");
    Await.until("the follower has detected it",
        () -> text("follower.err").contains("resuming when the service is back"));
    started.add(tower.serveAgain(ready.group(2), directory));
    awaitTold("r1", "r2", "r3");
    event("r4");
    awaitTold("r1", "r2", "r3", "r4");
    assertThat(text("follower.err"))
        .isEqualTo("tower: the stream of " + ready.group(1) + " ended; resuming when the service is back\n");
  }

  @Test
  @DisplayName("A stream cut before or in an event resumes where it was; a rejection ends it")
  void cutStreams() throws Exception {
    List<String> seen = Collections.synchronizedList(new ArrayList<>());
    Deque<String> answers = new ConcurrentLinkedDeque<>(List.of(": connected\n\nid: 2026-01-01:7\n\n",
        "id: 2026-01-01:99\ndata: {\"event\":\"half",
        "id: 2026-01-01:9\ndata: {\"event\":\"whole\"}\n\n: nothing new\n\n"));
    HttpServer service = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    service.createContext("/audit/stream", exchange -> {
      seen.add(String.valueOf(exchange.getRequestHeaders().getFirst("Last-Event-ID")));
      String answer = answers.poll();
      try (OutputStream body = exchange.getResponseBody()) {
        exchange.sendResponseHeaders(answer == null ? 401 : 200, 0);
        body.write((answer == null ? "" : answer).getBytes(StandardCharsets.UTF_8));
      }
    });
    service.start();
    try {
      TestHome.Outcome outcome = home.with("TOWER_TOKEN", "any")
          .tower("audit --follow --server http://127.0.0.1:" + service.getAddress().getPort());

      assertThat(outcome.exit()).isEqualTo(77);
      assertThat(outcome.out()).isEqualTo("{\"event\":\"whole\"}\n");
      assertThat(outcome.err()).contains("does not accept the token");
      assertThat(seen).containsExactly("null", "2026-01-01:7", "2026-01-01:7", "2026-01-01:9");
    } finally {
      service.stop(0);
    }
  }

  @Test
  @DisplayName("An unreachable service at the start is exit 69, and no token for it exit 77")
  void noService() {
    assertThat(home.tower("audit --follow --server http://127.0.0.1:1").exit()).isEqualTo(77);
    assertThat(home.with("TOWER_TOKEN", "any").tower("audit --follow --server http://127.0.0.1:1").exit())
        .isEqualTo(69);
  }
}
