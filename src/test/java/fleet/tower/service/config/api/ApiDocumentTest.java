package fleet.tower.service.config.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.golden.Golden;
import fleet.tower.home.Release;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.yaml.Complaints;
import fleet.tower.platform.yaml.Node;
import fleet.tower.platform.yaml.NodeReader;
import fleet.tower.platform.yaml.SourceFile;
import tools.jackson.databind.json.JsonMapper;

@DisplayName("The assembled OpenAPI document")
class ApiDocumentTest {
  private static final JsonMapper JSON = new JsonMapper();

  private static Node read(String yaml) {
    Complaints complaints = new Complaints("x.yaml");
    Node node = NodeReader.read(yaml, new SourceFile.Kind("a text", null, "", ""), complaints).orElseThrow();
    assertThat(complaints.all()).isEmpty();
    return node;
  }

  @Test
  @DisplayName("The shipped document is the one assembled from its parts")
  void isUpToDate() {
    Golden.isWhole("src/main/resources/fleet/tower/service/config/api/openapi.yaml",
        NodeText.yaml(ApiDocument.read()));
  }

  @Test
  @DisplayName("It is of this version, and the same as JSON and as YAML")
  void sameInBothForms() throws Exception {
    String assembled = NodeText.json(ApiDocument.read());
    String served = new String(ApiController.json(ApiController.document()), StandardCharsets.UTF_8);

    assertThat(JsonReader.readObject(served).object("info").orElseThrow().text("version")).contains(Release.version());
    assertThat(JSON.readTree(served))
        .isEqualTo(JSON.readTree(assembled.replace("@project.version@", Release.version())));
    assertThat(NodeText.json(read(NodeText.yaml(ApiDocument.read())))).isEqualTo(assembled);
  }

  @Test
  @DisplayName("Ambiguous YAML scalars are quoted, and empty values stay")
  void awkward() {
    Node node = read("""
        "on": 'yes'
        "1.0": "1.0"
        a b: [1, -2.5, true, null, "", "x: y # z", "tab\\t\\"quote\\" ünï"]
        "{x}": { none: {}, nothing: [], deep: [[1], { a: [] }] }
        """);

    assertThat(NodeText.json(node)).isEqualTo("""
        {"on":"yes","1.0":"1.0","a b":[1,-2.5,true,null,"","x: y # z","tab\\u0009\\"quote\\" ünï"],\
        "{x}":{"none":{},"nothing":[],"deep":[[1],{"a":[]}]}}""");
    assertThat(NodeText.json(read(NodeText.yaml(node)))).isEqualTo(NodeText.json(node));
    assertThat(NodeText.yaml(node)).contains("\"a b\":\n", "on: \"yes\"\n", "  deep:\n    -\n      - 1\n");
  }
}
