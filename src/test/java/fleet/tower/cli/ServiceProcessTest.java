package fleet.tower.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Await;
import fleet.tower.harness.Installation;
import fleet.tower.harness.Installation.Result;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.harness.ServiceProcess;
import fleet.tower.harness.TestHome;

/** Tests {@code tower serve} as a user runs it: a process that starts, answers and stops. */
class ServiceProcessTest {
  private static final int SIGTERM_EXIT = 143;

  private final Installation tower;
  private final Path out;
  private final Path err;

  ServiceProcessTest(@TempDir Path directory) {
    tower = new Installation(directory.resolve("a release"));
    out = directory.resolve("out");
    err = directory.resolve("err");
  }

  private static HttpResponse<String> get(HttpClient client, String url) throws Exception {
    return client.send(HttpRequest.newBuilder(URI.create(url)).build(), BodyHandlers.ofString());
  }

  @Test
  @DisplayName("It prints where the token is and that it is ready, answers, and ends within seconds of SIGTERM")
  void life() throws Exception {
    Process service = tower.start(List.of(tower.launcher().toString(), "serve", "--port", "0"), out, err);
    try (HttpClient client = HttpClient.newHttpClient()) {
      Matcher ready = ServiceProcess.awaitReady(service, out, err);
      assertThat(TestHome.text(out)).isEqualTo(
          "tower: wrote the operator's token to " + tower.home() + "/state/token\n"
              + "tower: try: curl -H \"Authorization: Bearer $(cat " + tower.home() + "/state/token)\" "
              + ready.group(1) + "/intents\ntower: console: " + ready.group(1) + "/console/\n" + ready.group());
      assertThat(get(client, ready.group(1) + "/actuator/health").body())
          .isEqualTo("{\"groups\":[\"liveness\",\"readiness\"],\"status\":\"UP\"}");
      assertThat(get(client, ready.group(1) + "/locks").statusCode()).isEqualTo(401);

      Result second = tower.tower("serve", "--port", ready.group(2));
      assertThat(second).isEqualTo(new Result(69, "", "tower: port " + ready.group(2) + " is in use\n"
          + "  stop the process that listens there, or use `tower serve --port N`; 0 picks a free port\n"));

      service.destroy();
      assertThat(Await.exitOf(service)).isEqualTo(SIGTERM_EXIT);
      assertThat(TestHome.text(err).lines().filter(line -> !line.contains(" is on "))).isEmpty();
    } finally {
      Await.kill(service);
    }
  }

  @Test
  @DisplayName("A home without write access causes one line with the remedy")
  @ProofsProfile
  void unwritableHome() throws Exception {
    Files.writeString(tower.home().resolve("state"), "a file in the way");

    assertThat(tower.tower("serve", "--port", "0")).isEqualTo(new Result(69, "", "tower: the operator token "
        + tower.home() + "/state/token is not available: ENOTDIR: not a directory; make its directory writable for this"
        + " user, or set TOWER_HOME to a home of your own\n  see `tower doctor`\n"));
  }

  @Test
  @DisplayName("An invalid port is a usage error")
  void badPort() {
    assertThat(tower.tower("serve", "--port", "65536")).isEqualTo(new Result(64, "",
        "tower: --port 65536 is not a port; give 0 to 65535\n  usage: tower serve [--port N] [--json]\n"));
  }
}
