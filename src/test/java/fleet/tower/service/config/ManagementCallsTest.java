package fleet.tower.service.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@DisplayName("What the service sends to operators' tools")
class ManagementCallsTest {
  @AutoClose
  private final TestService service;

  ManagementCallsTest(@TempDir Path home) {
    service = new TestService(home);
  }

  private List<String> encodingOf(String path) {
    return service.call("GET", path, "", "Accept-Encoding", "gzip").headers().getOrDefault("content-encoding",
        List.of());
  }

  @Test
  @DisplayName("Long answers are compressed for clients that accept it, short ones and event streams are not")
  void compression() {
    assertThat(encodingOf("/v3/api-docs")).containsExactly("gzip");
    assertThat(encodingOf("/actuator/prometheus")).containsExactly("gzip");
    assertThat(encodingOf("/locks")).isEmpty();
    assertThat(service.get("/v3/api-docs").headers()).doesNotContainKey("content-encoding");
  }

  @Test
  @DisplayName("The bill of materials is readable with a token only")
  void billOfMaterials() {
    assertThat(service.get("/actuator/sbom").status()).isEqualTo(200);
    assertThat(service.send(service.request("/actuator/sbom").build()).status()).isEqualTo(401);
  }
}
