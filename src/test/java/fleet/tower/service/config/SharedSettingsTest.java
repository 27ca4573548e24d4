package fleet.tower.service.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

import fleet.tower.home.HomeSettings;
import fleet.tower.platform.InvalidConfiguration;

@DisplayName("The service refuses a setting that the commands of its home would not have")
class SharedSettingsTest {
  private final Path home;

  SharedSettingsTest(@TempDir Path home) {
    this.home = home;
    TestService.makeHome(home);
  }

  private void write(String name, String content) throws IOException {
    Files.writeString(home.resolve("config").resolve(name), content);
  }

  private Throwable failureOf(String... arguments) {
    try (var service = new Daemon(home, TestService.console(new ByteArrayOutputStream())).start(List.of(arguments))) {
      return new AssertionError("the service " + service + " started");
    } catch (InvalidConfiguration refused) {
      return refused;
    }
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
      "application-prod.yaml | `tower:\n  queue:\n    workers: 9\n` | spring.profiles.active: prod | application-prod.yaml:3:14: tower.queue.workers",
      "application.properties | `tower.hostId=a\n` | `` | application.properties:1:14: tower.hostId",
      "application.yml | `TOWER:\n  host_id: a\n` | `` | application.yml:2:12: TOWER.host_id",
      "other.yaml | `tower.labels: a\n` | `spring.config.import: other.yaml` | other.yaml:1:15: tower.labels"})
  @DisplayName("in a profile, another file or an import: with the file's name")
  void files(String name, String content, String own, String problem) throws IOException {
    write(name, content);
    write("application.yaml", own);

    assertThat(failureOf("--server.port=0")).isInstanceOf(InvalidConfiguration.class)
        .hasMessage(
            home + "/config/" + problem + " would be read by the service only, not by the commands of this home;"
                + " move it to config/application.yaml");
  }

  @Test
  @DisplayName("in a Java property, in JSON of the environment, or in a form of a variable that commands do not know")
  void elsewhere() {
    assertRefused(new MapPropertySource(StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME,
        Map.of("tower.database.url", "x")), "the Java property tower.database.url");
    assertRefused(new MapPropertySource("spring.application.json", Map.of("tower.database.url", "x")),
        "spring.application.json: tower.database.url");
    for (String name : List.of("tower_database_url", "TOWER_MCP_ALLOWEDHOSTS_0", "TOWER_HOSTID_")) {
      assertRefused(new SystemEnvironmentPropertySource(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
          Map.of(name, "x")), "the variable " + name);
    }
  }

  private void assertRefused(MapPropertySource source, String problem) {
    StandardEnvironment environment = new StandardEnvironment();
    environment.getPropertySources().forEach(it -> environment.getPropertySources().remove(it.getName()));
    environment.getPropertySources().addFirst(source);
    try (GenericApplicationContext context = new GenericApplicationContext()) {
      context.setEnvironment(environment);

      assertThatThrownBy(() -> new SharedSettings(home).replaceIn(context)).isInstanceOf(InvalidConfiguration.class)
          .hasMessageStartingWith(problem).hasMessageEndingWith("move it to " + HomeSettings.FILE);
    }
  }

  @Test
  @DisplayName("and has the others from the same file as they have")
  void shared() throws IOException {
    write("application.yaml", """
        tower:
          HOST_ID:
          console:
          queue.workers: 3
          lock.insecureDirectory: yes
          mcp.allowed-hosts: [a.example, b.example]
        server.address: 127.0.0.3
        """);

    try (var service = new Daemon(home, TestService.console(new ByteArrayOutputStream()))
        .start(List.of("--server.port=0"))) {
      TowerProperties bound = service.getBean(TowerProperties.class);
      assertThat(bound.queue().workers()).isEqualTo(3);
      assertThat(bound.hostId()).isNull();
      assertThat(bound.lock().insecureDirectory()).isTrue();
      assertThat(bound.mcp().allowedHosts()).containsExactly("a.example", "b.example");
      assertThat(Daemon.urlOf(service)).startsWith("http://127.0.0.3:");
    }
  }
}
