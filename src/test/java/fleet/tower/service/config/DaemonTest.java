package fleet.tower.service.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import fleet.tower.answer.Reply;
import fleet.tower.cli.ServeCommand;
import fleet.tower.cli.Tower;
import fleet.tower.operation.LockHandlers;
import fleet.tower.platform.Exit;

@DisplayName("The service process")
class DaemonTest {
  private final Path home;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  DaemonTest(@TempDir Path home) {
    this.home = home;
  }

  private String serve(int exit) {
    Map<String, String> environment = Map.of("TOWER_HOME", home.toString());
    ServeCommand.Start daemon = request -> new Daemon(request.home(), TestService.console(out))
        .run(Optional.of(0));
    assertThat(Tower.run(new String[]{"serve"}, environment, TestService.console(out),
        new Tower.Programs(daemon, _ -> Reply.silent(Exit.UNAVAILABLE)))).isEqualTo(exit);
    return out.toString(StandardCharsets.UTF_8).replace(home.toString(), "HOME");
  }

  @ParameterizedTest
  @DisplayName("An invalid configuration is reported with its place and the remedy")
  @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
      "`server:\n  port: [80\n` | 3:1: is not valid YAML: while parsing a flow sequence: expected ',' or ']', but got <stream end>; quote a text that contains { } [ ] : # or ,",
      "`tower:\n  lock:\n    insecure-directory: perhaps\n` | 3:25: tower.lock.insecure-directory is 'perhaps'; it may be true or false",
      "`tower:\n  heartbeat.max-interval: 31s\n` | 2:27: tower.heartbeat.max-interval is '31s'; it may be 1s to 30s",
      "`tower:\n  lock.stor: file\n` | 2:3: there is no setting tower.lock.stor; did you mean tower.lock.store?"})
  void brokenConfig(String yaml, String problem) throws Exception {
    Files.writeString(Files.createDirectories(home.resolve("config")).resolve("application.yaml"), yaml);

    assertThat(serve(78))
        .isEqualTo("tower: HOME/config/application.yaml:" + problem + "\n  correct it, and try again\n");
  }

  @Test
  @DisplayName("The home's configuration is used")
  void readsConfig() throws Exception {
    Files.writeString(Files.createDirectories(home.resolve("config")).resolve("application.yaml"),
        "tower:\n  host-id: from-file\n  lock.insecure-directory: true\nserver.address: 127.0.0.2\n");
    Daemon daemon = new Daemon(home, TestService.console(out));

    try (var service = daemon.start(java.util.List.of("--server.port=0"))) {
      assertThat(service.getBean(LockHandlers.Host.class).id()).isEqualTo("from-file");
      assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("tower: wrote the operator's token to " + home
          + "/state/token\ntower: try: curl -H \"Authorization: Bearer $(cat " + home + "/state/token)\" "
          + Daemon.urlOf(service) + "/intents\ntower: console: " + Daemon.urlOf(service) + "/console/\ntower: ready on "
          + Daemon.urlOf(service) + "\n");
      assertThat(Daemon.urlOf(service)).startsWith("http://127.0.0.2:");
    }
  }
}
