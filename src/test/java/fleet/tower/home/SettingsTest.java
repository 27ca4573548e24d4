package fleet.tower.home;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import fleet.tower.golden.Golden;
import fleet.tower.platform.InvalidValue;

@DisplayName("The table of settings")
class SettingsTest {
  private static final String EXAMPLE = "config/application.example.yaml";
  private static final int WIDTH = 118;
  /** Values of settings that have no standard one. */
  private static final Map<Setting<?>, String> EXAMPLES = Map.of(Settings.LOCK_STORE, "file",
      Settings.HTTP_TRUSTED_PROXIES, "[10.1.0.0/16]", Settings.DATABASE_URL,
      "jdbc:postgresql://db.example/tower?user=tower&password=…", Settings.HOST_ID, "tower-01",
      Settings.MCP_RESOURCE, "https://tower.example.com/mcp", Settings.MCP_ALLOWED_ORIGINS,
      "[https://chat.example.com]", Settings.MCP_ALLOWED_HOSTS, "[tower.internal]", Settings.RUNS_MAX_OUTPUT_PER_STEP,
      "1GB");

  static List<Setting<?>> all() {
    return Settings.ALL;
  }

  @Test
  @DisplayName("The example file has every setting with its standard value, range and purpose")
  void example() throws Exception {
    List<String> file = Files.readAllLines(Path.of(System.getProperty("project.basedir", "")).resolve(EXAMPLE));
    int from = file.indexOf("tower:");
    int to = from + 1;
    while (to < file.size() && file.get(to).startsWith(" ")) {
      to++;
    }
    List<String> lines = new ArrayList<>(file.subList(0, from));
    lines.addAll(section());
    lines.addAll(file.subList(to, file.size()));

    Golden.isWhole(EXAMPLE, String.join("\n", lines) + "\n");
  }

  private static List<String> section() {
    List<String> lines = new ArrayList<>(List.of("tower:"));
    String open = "";
    for (Setting<?> setting : Settings.ALL) {
      int dot = setting.name().indexOf('.');
      String group = dot < 0 ? "" : setting.name().substring(0, dot);
      if (!Settings.isOfFile(setting)) {
        continue;
      }
      boolean isSet = !setting.standard().isEmpty();
      if (!group.isEmpty() && !group.equals(open)) {
        boolean isEmpty = Settings.ALL.stream().filter(other -> other.name().startsWith(group + "."))
            .allMatch(other -> other.standard().isEmpty());
        lines.add((isEmpty ? "  # " : "  ") + group + ":");
      }
      open = group;
      String indent = group.isEmpty() ? "  " : "    ";
      lines.addAll(comment(indent + "# ", setting));
      lines.add(indent + (isSet ? "" : "# ") + setting.name().substring(dot + 1) + ": "
          + (isSet ? setting.standard() : EXAMPLES.get(setting)));
    }
    return lines;
  }

  private static List<String> comment(String indent, Setting<?> setting) {
    boolean hasRange = setting.allowed().contains(" to ");
    String text = hasRange ? setting.help().replaceFirst("\\.$", "; " + setting.allowed() + ".") : setting.help();
    List<String> lines = new ArrayList<>();
    StringBuilder line = new StringBuilder(indent);
    for (String word : text.split(" ", -1)) {
      if (line.length() + word.length() > WIDTH) {
        lines.add(line.toString().stripTrailing());
        line = new StringBuilder(indent);
      }
      line.append(word).append(' ');
    }
    lines.add(line.toString().stripTrailing());
    return lines;
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("all")
  @DisplayName("Every setting accepts its own standard value, and names are unique")
  void standards(Setting<?> setting) {
    assertThat(setting.standard().isEmpty() || setting.allows(setting.standard())).isTrue();
    assertThat(Settings.ALL).filteredOn(other -> other.variable().equals(setting.variable())).containsExactly(setting);
    assertThat(Settings.named(setting.name())).isSameAs(setting);
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {"shutdown.grace | 0 1h PT1H 3600 | 61m 1h1 -1s",
      "queue.workers | 1 64 | 0 65 1.0 01",
      "heartbeat.max-interval | 1s 30 | 999ms 31s 0", "runs.max-concurrent | 1 10000 | 0 10001 +1 ٣",
      "runs.max-output-per-step | 1 1B 500MB 1TB | 0 1mb 1.5GB 2000000000GB", "retention.runs | 0 90d | ever",
      "lock.insecure-directory | true FALSE yes on 1 off 0 | y perhaps", "lock.store | file database | redis",
      "calls.token-timeout | 1s 30s | 31s", "calls.max-waiting | 1 100000 | 0 100001", "queue.lease | 2s 1h | 1s 61m",
      "log.format | plain ecs logstash gelf | json", "oidc.roles-claim | roles a.b | ''"})
  @DisplayName("A setting accepts the values in its range, and nothing else")
  void ranges(String name, String good, String bad) {
    Setting<?> setting = Settings.named(name);

    assertThat(good.split(" ")).allMatch(setting::allows);
    assertThat(bad.replace("''", "").split(" ", -1)).noneMatch(setting::allows);
  }

  @Test
  @DisplayName("A value comes from the variable, also in Spring's form, or else is the standard one; an invalid one is "
      + "named")
  void values() {
    Setting<Duration> interval = Settings.HEARTBEAT_MAX_INTERVAL;

    assertThat(interval.of(set("TOWER_HEARTBEAT_MAX_INTERVAL", "5"))).isEqualTo(Duration.ofSeconds(5));
    assertThat(interval.of(set("TOWER_HEARTBEAT_MAXINTERVAL", "5s"))).isEqualTo(Duration.ofSeconds(5));
    assertThat(interval.of(_ -> Optional.empty())).isEqualTo(Duration.ofSeconds(30));
    assertThatThrownBy(() -> interval.of(set("TOWER_HEARTBEAT_MAX_INTERVAL", "1m")))
        .isInstanceOf(InvalidValue.class)
        .hasMessageContaining("TOWER_HEARTBEAT_MAX_INTERVAL is '1m'; it may be 1s to 30s, or left out");
  }

  private static HomeSettings set(String variable, String value) {
    return HomeSettings.of(Path.of("none"), Map.of(), Map.of(variable, value));
  }
}
