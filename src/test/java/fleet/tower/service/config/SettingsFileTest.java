package fleet.tower.service.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.io.ByteArrayResource;

import fleet.tower.harness.Extent;
import fleet.tower.home.HomeSettings;
import fleet.tower.home.Setting;
import fleet.tower.home.Settings;
import fleet.tower.platform.InvalidConfiguration;

@DisplayName("The file of settings of a home")
class SettingsFileTest {
  private static final int FILES = Extent.of(500, 5_000, 5_000);
  private static final List<String> VALUES = List.of("20", "'20'", "20s", "\"1m\"", "true", "no", "On", "file", "auto",
      "a,b", "tower-01", "010", "1_000", "0x10", "1:30", "1.50", "null", "~", "", "''", "x y", "500MB", "jdbc:sqlite:x",
      "jdbc:postgresql://h/d?user=u&password=p", "[a, b]", "[10.0.0.0/8]", "[]", "{}", "2001-01-01", "1e3", "+1", "-1",
      ".5", "- a", "https://tower.example/mcp", "\"\\x41\"");

  private final Path home;

  SettingsFileTest(@TempDir Path home) {
    this.home = home;
  }

  private Map<String, String> ours(String yaml) throws IOException {
    Files.createDirectories(home.resolve("config"));
    Files.writeString(home.resolve(HomeSettings.FILE), yaml);
    return HomeSettings.of(home, Map.of(), Map.of()).effective().stream()
        .filter(it -> it.given().origin().source() == Setting.Source.FILE)
        .collect(Collectors.toMap(it -> it.setting().key(), it -> it.given().text()));
  }

  /** What Spring binds; of flags the value, whatever the word. */
  private static Map<String, String> springs(String yaml) throws IOException {
    StandardEnvironment environment = new StandardEnvironment();
    environment.getPropertySources().forEach(source -> environment.getPropertySources().remove(source.getName()));
    new YamlPropertySourceLoader().load("file", new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8)))
        .forEach(environment.getPropertySources()::addLast);
    ConfigurationPropertySources.attach(environment);
    Binder binder = Binder.get(environment);
    Map<String, String> bound = new TreeMap<>();
    for (Setting<?> setting : Settings.ALL) {
      boolean isList = setting.name().matches("http.trusted-proxies|mcp.allowed-.*");
      String text = isList
          ? binder.bind(setting.key(), Bindable.listOf(String.class)).map(list -> String.join(",", list)).orElse("")
          : binder.bind(setting.key(), String.class).orElse("");
      if (!text.isEmpty()) {
        bound.put(setting.key(), text);
      }
    }
    return bound;
  }

  private static Map<String, String> comparable(Map<String, String> values) {
    Map<String, String> comparable = new TreeMap<>();
    values.forEach((key, text) -> {
      boolean isFlag = Settings.named(key.substring("tower.".length())).type() == Boolean.class;
      if (!text.isEmpty()) {
        comparable.put(key,
            isFlag
                ? Boolean.toString(List.of("true", "yes", "on", "1").contains(text.toLowerCase(Locale.ROOT)))
                : text);
      }
    });
    return comparable;
  }

  @ParameterizedTest
  @ValueSource(strings = {"tower:\n  database:\n    url: jdbc:postgresql://h/d\n  host-id: a\n",
      "tower.database.url: x\ntower:\n  host-id: 'a b'\n", "tower.lock:\n  store: file\n",
      "tower:\n  lock.insecure-directory: yes\n", "tower:\n  hostId: a\n  mcp:\n    taskAfter: 5\n",
      "tower:\n  host_id: a\n  RETENTION:\n    Runs: 10d\n", "Tower:\n  HOST-ID: a\n", "TOWER.HOST_ID: a\n",
      "tower:\n  http:\n    trusted-proxies: [10.0.0.0/8, 10.1.1.1]\n",
      "tower:\n  http:\n    trusted-proxies:\n      - 10.0.0.0/8\n      - 10.1.1.1\n",
      "tower:\n  http.trusted-proxies: 10.0.0.0/8,10.1.1.1\n", "tower:\n  oidc:\n    role-prefix: ''\n",
      "tower:\n  host-id:\n  database:\n    # url: x\nserver:\n  port: 80\n", "# nothing\n", "",
      "server: { port: 80 }\n"})
  @DisplayName("has the same keys and values for commands as for Spring, in every form of the keys")
  void forms(String yaml) throws IOException {
    assertThat(comparable(ours(yaml))).isEqualTo(comparable(springs(yaml)));
  }

  @Test
  @DisplayName("is read as Spring reads it, or refused: random files")
  void random() throws IOException {
    Random random = new Random(5 + Extent.offset(1));
    int read = 0;
    for (int i = 0; i < FILES; i++) {
      String yaml = file(random);
      Map<String, String> ours;
      try {
        ours = ours(yaml);
      } catch (InvalidConfiguration refused) {
        continue;
      }
      read++;
      assertThat(comparable(ours)).as(yaml).isEqualTo(comparable(springs(yaml)));
    }
    assertThat(read).isGreaterThan(FILES * 4 / 25);
  }

  private static String file(Random random) {
    Map<String, List<String>> groups = new TreeMap<>(Comparator.reverseOrder());
    for (int count = random.nextInt(1, 4); count > 0; count--) {
      Setting<?> setting = Settings.ALL.get(random.nextInt(Settings.ALL.size()));
      String[] parts = setting.name().split("\\.", 2);
      String standard = setting.standard().isEmpty() || random.nextBoolean()
          ? VALUES.get(random.nextInt(VALUES.size()))
          : setting.standard();
      String last = spelled(parts[parts.length - 1], random);
      boolean isDotted = random.nextBoolean();
      String group = parts.length == 1 ? "" : parts[0];
      String line = (isDotted && !group.isEmpty() ? "  " + group + "." : group.isEmpty() ? "  " : "    ") + last + ": "
          + standard;
      groups.computeIfAbsent(isDotted ? "" : group, _ -> new ArrayList<>()).add(line);
    }
    StringBuilder yaml = new StringBuilder("tower:\n");
    groups.forEach((group, lines) -> {
      if (!group.isEmpty()) {
        yaml.append("  ").append(spelled(group, random)).append(":\n");
      }
      lines.forEach(line -> yaml.append(line).append('\n'));
    });
    return yaml.toString();
  }

  private static String spelled(String word, Random random) {
    return switch (random.nextInt(6)) {
      case 0 -> word.replace('-', '_');
      case 1 -> word.toUpperCase(Locale.ROOT);
      case 2 -> word.replace("-", "");
      default -> word;
    };
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
      "`tower:\n  home: /x\n` | 2:3: a home does not say this of itself; set TOWER_HOME in the environment",
      "`tower.insecure-files: true\n` | 1:1: a home does not say this of itself; set TOWER_INSECURE_FILES in the "
          + "environment",
      "`tower:\n  lock: file\n` | 2:3: there is no setting tower.lock; did you mean tower.lock.store?",
      "`tower:\n  database.url: ${DB}\n` | 2:17: ${…} is not replaced in settings; write the value, or set the variable TOWER_DATABASE_URL for all programs of this home",
      "`tower:\n  host-id: 010\n` | 2:12: YAML changes 010 when it reads it; write it in quotes",
      "`tower:\n  host-id: yes\n` | 2:12: YAML changes yes when it reads it; write it in quotes",
      "`tower:\n  host-id: a\n  hostId: b\n` | 3:3: tower.host-id is set twice; first on line 2",
      "`tower:\n  host-id: [a]\n` | 2:12: tower.host-id must be a text that is not blank",
      "`tower:\n  mcp.allowed-hosts: ['a,b']\n` | 2:23: an item of tower.mcp.allowed-hosts must be a text without commas",
      "`tower: 5\n` | 1:1: there is no setting tower; did you mean tower.home?",
      "`- tower\n` | 1:1: must be a mapping of settings",
      "`a: 1\n---\nb: 2\n` | 2:1: a second document is not allowed; put all settings into one"})
  @DisplayName("is refused with file, line and column if it is invalid")
  void invalid(String yaml, String problem) {
    assertThatThrownBy(() -> ours(yaml)).isInstanceOf(InvalidConfiguration.class)
        .hasMessage(home.resolve(HomeSettings.FILE) + ":" + problem);
  }

  @Test
  @DisplayName("is overridden by the environment, and that by an option; each value names its place")
  void order() throws IOException {
    ours("tower:\n  host-id: file\n  labels: file\n  queue.workers: 3\n");
    HomeSettings settings = HomeSettings.of(home, Map.of("tower.host-id", "option"),
        Map.of("TOWER_HOST_ID", "variable", "TOWER_LABELS", "variable"));

    assertThat(settings.effective().stream().map(it -> it.setting().name() + " " + it.given().text() + " "
        + it.given().origin().source() + " " + it.given().origin().place()).toList()).contains(
            "host-id option option --tower.host-id", "labels variable environment TOWER_LABELS",
            "queue.workers 3 file config/application.yaml:4", "shutdown.grace 20s default ");
  }
}
