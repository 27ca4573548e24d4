package fleet.tower.service.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.Main;
import fleet.tower.harness.Await;
import fleet.tower.harness.JavaProcess;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.harness.ServiceProcess;
import fleet.tower.harness.TestFiles;

@DisplayName("A service that is killed")
@ProofsProfile
class KilledServiceTest {
  private final Path directory;
  private final Path home;

  KilledServiceTest(@TempDir Path directory) {
    this.directory = directory;
    this.home = directory.resolve("home");
    TestService.makeHome(home);
  }

  @Test
  @DisplayName("It leaves nothing in the directory of temporary files, and in its home only what is the home's")
  void leavesNothing() throws Exception {
    Path temporary = TestFiles.directory(directory.resolve("tmp"));
    Path out = directory.resolve("out");
    Path err = directory.resolve("err");
    ProcessBuilder serve = new ProcessBuilder(JavaProcess.command(List.of("-Djava.io.tmpdir=" + temporary),
        Main.class.getName(), "serve", "--port", "0"))
        .redirectOutput(out.toFile()).redirectError(err.toFile());
    serve.environment().put("TOWER_HOME", home.toString());
    Process service = serve.start();
    try (HttpClient client = HttpClient.newHttpClient()) {
      String url = ServiceProcess.awaitReady(service, out, err).group(1);
      assertThat(client.send(HttpRequest.newBuilder(URI.create(url + "/console/")).build(), BodyHandlers.ofString())
          .statusCode()).isEqualTo(200);
      assertThat(client.send(HttpRequest.newBuilder(URI.create(url + "/config/")).build(), BodyHandlers.ofString())
          .statusCode()).isEqualTo(401);
    } finally {
      Await.kill(service);
    }

    assertThat(TestFiles.in(temporary)).isEmpty();
    assertThat(TestFiles.in(home)).extracting(Path::getFileName).extracting(Path::toString)
        .containsExactlyInAnyOrder("config", "intents", "logs", "state");
    assertThat(Files.exists(home.resolve("state/token"))).isTrue();
  }
}
