package fleet.tower.service.config;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.golden.Golden;
import fleet.tower.home.Setting;
import fleet.tower.home.Settings;
import fleet.tower.platform.json.JsonWriter;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@DisplayName("The metadata of the settings, by which editors complete application.yaml")
class SettingsMetadataTest {

  @Test
  @DisplayName("Descriptions and standard values are those of the table")
  void additional() {
    String properties = Settings.ALL.stream().map(SettingsMetadataTest::described)
        .collect(Collectors.joining(",\n    ", "{\n  \"properties\": [\n    ", "\n  ]\n}\n"));

    Golden.isWhole("src/main/resources/META-INF/additional-spring-configuration-metadata.json", properties);
  }

  private static String described(Setting<?> setting) {
    JsonWriter json = JsonWriter.line().put("name", setting.key()).put("description", setting.help());
    return (setting.standard().isEmpty() ? json : json.put("defaultValue", setting.standard())).end();
  }

  @Test
  @DisplayName("What the compiler collects has the settings of the table, all of them and no others, each with its type")
  void collected() throws IOException {
    Map<String, JsonNode> collected;
    try (InputStream in = Files.newInputStream(
        Path.of(System.getProperty("project.basedir", ""),
            "target/classes/META-INF/spring-configuration-metadata.json"))) {
      collected = StreamSupport.stream(new JsonMapper().readTree(in).get("properties").spliterator(), false)
          .collect(Collectors.toMap(property -> property.get("name").asString(), Function.identity(), (one, _) -> one,
              TreeMap::new));
    }

    assertThat(collected.keySet())
        .containsExactlyInAnyOrderElementsOf(Settings.ALL.stream().map(Setting::key).toList());
    for (Setting<?> setting : Settings.ALL) {
      JsonNode property = requireNonNull(collected.get(setting.key()));
      assertThat(property.get("description").asString()).isEqualTo(setting.help());
      assertThat(property.path("defaultValue").asString("")).isEqualTo(setting.standard());
      assertThat(property.get("type").asString()).isIn(typesOf(setting.type()));
    }
  }

  private static List<String> typesOf(Class<?> type) {
    return requireNonNull(Map
        .of(Integer.class, List.of("java.lang.Integer"), Boolean.class, List.of("java.lang.Boolean"), Long.class,
            List.of("org.springframework.util.unit.DataSize"), java.time.Duration.class,
            List.of(TimeSpan.class.getName()),
            String.class, List.of("java.lang.String", "java.util.List<java.lang.String>",
                TowerProperties.Log.Format.class.getName()))
        .get(type));
  }
}
