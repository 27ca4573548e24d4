package fleet.tower.release;

import java.nio.file.Files;
import java.util.List;

import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;

/** The generated bill of materials, in the CycloneDX format. */
record BillOfMaterials(List<Component> components) {

  /** A library, by the name of its file. */
  record Component(String jar, String sha256, List<JsonObject> licences) {}

  /** Whether it exists, or must exist: Maven generates none while offline, but keeps an earlier one. */
  static boolean isMade() {
    return !Boolean.getBoolean("maven.offline")
        || Files.exists(Tarball.BASE.resolve("target/classes/META-INF/sbom/application.cdx.json"));
  }

  static BillOfMaterials read(byte[] json) throws JsonException {
    return new BillOfMaterials(JsonReader.readObject(json).objects("components").stream()
        .map(BillOfMaterials::component).toList());
  }

  private static Component component(JsonObject component) {
    String sha256 = component.objects("hashes").stream()
        .filter(hash -> hash.text("alg").orElseThrow().equals("SHA-256")).findFirst().orElseThrow()
        .text("content").orElseThrow();
    return new Component(
        component.text("name").orElseThrow() + "-" + component.text("version").orElseThrow() + ".jar", sha256,
        component.objects("licenses"));
  }

  List<String> jars() {
    return components.stream().map(Component::jar).toList();
  }
}
