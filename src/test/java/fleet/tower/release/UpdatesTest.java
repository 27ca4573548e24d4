package fleet.tower.release;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;

@DisplayName("Proposed updates")
class UpdatesTest {
  @Test
  @DisplayName("Renovate covers libraries, the Maven wrapper, the images, the chart and actions, and keeps images pinned "
      + "by digest")
  void renovate() throws IOException, JsonException {
    JsonObject renovate = JsonReader.readObject(Files.readAllBytes(Tarball.BASE.resolve("renovate.json")));

    assertThat(renovate.texts("enabledManagers")).containsExactlyInAnyOrder("maven", "maven-wrapper", "dockerfile",
        "helm-values", "github-actions");
    assertThat(renovate.texts("extends")).contains("config:recommended", "docker:pinDigests");
  }
}
