package fleet.tower.service.config.api;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.home.Release;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.yaml.Complaints;
import fleet.tower.platform.yaml.FileKind;
import fleet.tower.platform.yaml.Node;
import fleet.tower.platform.yaml.NodeReader;

@DisplayName("The assembled OpenAPI document")
class ApiDocumentTest {
  private static Node read(String yaml) {
    Complaints complaints = new Complaints("x.yaml");
    Node node = NodeReader.read(yaml, new FileKind("a text", null, "", ""), complaints).orElseThrow();
    assertThat(complaints.all()).isEmpty();
    return node;
  }

  @Test
  @DisplayName("It has this version, and is the same as JSON and as YAML")
  void sameInBothForms() throws Exception {
    Node document = ApiDocument.read();
    String json = NodeText.json(document);

    assertThat(JsonReader.readObject(json).object("info").orElseThrow().text("version")).contains(Release.version());
    assertThat(NodeText.json(read(NodeText.yaml(document)))).isEqualTo(json);
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
