package fleet.tower.chart;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.marcnuri.helm.Helm;
import com.marcnuri.helm.LintResult;

import fleet.tower.golden.Golden;

@DisplayName("The Helm chart as a whole")
class ChartTest {
  @TempDir
  private Path directory = Path.of("");

  static List<Path> valueSets() {
    return Chart.valueSets();
  }

  @ParameterizedTest
  @MethodSource("valueSets")
  @DisplayName("Helm's strict lint accepts it")
  void lints(Path values) {
    LintResult result = Chart.lint(directory, values);

    assertThat(result.isFailed()).as(String.join("\n", result.getMessages())).isFalse();
  }

  @Test
  @DisplayName("Helm's strict lint reports an error")
  void lintTells() throws IOException {
    Path values = Files.writeString(directory.resolve("bad.yaml"), "replicas: many\n");

    assertThat(Chart.lint(directory.resolve("copy"), values).isFailed()).isTrue();
  }

  @ParameterizedTest
  @MethodSource("valueSets")
  @DisplayName("The manifests are the reviewed ones, and Kubernetes accepts every member")
  void renders(Path values) {
    Manifests manifests = Chart.render(values);
    Manifests hooks = Chart.hooks(directory, values);

    List<Map<String, @Nullable Object>> all = new ArrayList<>(manifests.documents());
    all.addAll(hooks.documents());
    for (Map<String, @Nullable Object> document : all) {
      assertThat(Kubernetes.complaint(document)).as(String.valueOf(document.get("kind"))).isEmpty();
    }
    String name = String.valueOf(values.getFileName()).replace("-values", "");
    String notes = Chart.notes(values).replaceAll("(?m)^", "# ").replaceAll("(?m) +$", "");
    Golden.isWhole("src/test/resources/chart/" + name, elided(manifests.text() + hooks.text()) + "---\n" + notes);
  }

  /** Without the dashboard and the alerts, which {@link #rendersUnchanged} compares with their sources. */
  private static String elided(String text) {
    return text
        .replaceAll("(?m)^(  tower-executor\\.json: \\|\n)(?:(?: {4}.*)?\n)+", "$1    # observe/dashboard.json\n")
        .replaceAll("(?m)^(  groups:\n)(?:(?:  .*)?\n)+", "$1    # observe/alerts.yaml\n");
  }

  @Test
  @DisplayName("An unknown member, a missing one and one of another type are reported")
  void readsStrictly() {
    assertThat(complaint("spec: { ports: [{ port: 80 }], prots: [] }")).hasValueSatisfying(
        text -> assertThat(text).contains("prots"));
    assertThat(complaint("spec: { ports: [{ name: http }] }")).hasValueSatisfying(
        text -> assertThat(text).contains("port"));
    assertThat(complaint("spec: { ports: [{ port: \"80\" }] }"))
        .hasValue("/spec/ports/0/port is \"80\", and is taken as 80");
    assertThat(complaint("spec: { ports: [{ port: 80 }] }")).isEmpty();
    assertThat(Kubernetes.complaint(Yamls.all("{ apiVersion: v2, kind: Service }").getFirst()))
        .hasValue("nobody knows the kind v2 Service");
    assertThat(Kubernetes.complaint(Yamls.all("""
        apiVersion: monitoring.coreos.com/v1
        kind: ServiceMonitor
        spec: { endpoints: [{ prot: http }] }
        """).getFirst())).hasValue("unknown: [spec.endpoints.0.prot]");
    assertThat(Kubernetes.complaint(Yamls.all("""
        apiVersion: monitoring.coreos.com/v1
        kind: PrometheusRule
        spec: { groups: [{ name: a, rules: [{ alert: A, expr: b }, { alert: B, exp: b }] }] }
        """).getFirst())).hasValue("unknown: [spec.groups.0.rules.1.exp]");
  }

  private static Optional<String> complaint(String spec) {
    return Kubernetes.complaint(Yamls.all("apiVersion: v1\nkind: Service\nmetadata: { name: x }\n" + spec).getFirst());
  }

  @ParameterizedTest
  @ValueSource(strings = {"alerts.yaml", "dashboard.json"})
  @DisplayName("The chart's alerts and dashboard are copies of the shipped ones, which a chart cannot refer to")
  void observes(String file) throws IOException {
    Golden.isWhole("helm/tower-executor/files/" + file, Files.readString(Chart.BASE.resolve("observe").resolve(file)));
  }

  @Test
  @DisplayName("The rules and the dashboard are rendered unchanged, with the placeholders of Prometheus and Grafana")
  void rendersUnchanged() throws IOException {
    Manifests manifests = Chart.render(Chart.valueSet("files-root"));

    assertThat(manifests.at("PrometheusRule", "spec"))
        .isEqualTo(Yamls.map(Chart.BASE.resolve("observe/alerts.yaml")));
    assertThat(manifests.text()).contains("{{ $labels.instance }}");
    Map<String, @Nullable Object> data = Yamls.map(manifests.at("ConfigMap fleet-tower-executor-dashboard", "data"));
    assertThat(JsonParser.parseString(String.valueOf(data.get("tower-executor.json"))))
        .isEqualTo(JsonParser.parseString(Files.readString(Chart.BASE.resolve("observe/dashboard.json"))));
    assertThat(manifests.at("ConfigMap fleet-tower-executor-dashboard", "metadata.labels.grafana_dashboard"))
        .isEqualTo("1");
  }

  @Test
  @DisplayName("Chart, application and build have one version")
  void oneVersion() throws IOException {
    Map<String, @Nullable Object> chart = Yamls.map(Chart.DIRECTORY.resolve("Chart.yaml"));

    assertThat(Files.readString(Chart.BASE.resolve("pom.xml")))
        .contains("<artifactId>tower-executor</artifactId>\n  <version>" + chart.get("version") + "</version>");
    assertThat(chart.get("appVersion")).isEqualTo(chart.get("version"));
  }

  @Test
  @DisplayName("The schema describes every value, and no other")
  void schemaIsComplete() throws IOException {
    JsonObject schema = JsonParser.parseString(Files.readString(Chart.DIRECTORY.resolve("values.schema.json")))
        .getAsJsonObject();
    List<String> undescribed = new ArrayList<>();
    Set<String> inSchema = new TreeSet<>();
    collect("", schema, inSchema, undescribed);
    Set<String> inValues = new TreeSet<>(List.of("global"));
    collect("", Yamls.map(Chart.DIRECTORY.resolve("values.yaml")), inSchema, inValues);

    assertThat(undescribed).isEmpty();
    assertThat(inValues).isEqualTo(inSchema);
  }

  private static void collect(String path, JsonObject schema, Set<String> names, List<String> undescribed) {
    if (!schema.has("properties")) {
      return;
    }
    assertThat(schema.get("additionalProperties").getAsBoolean()).as(path).isFalse();
    schema.getAsJsonObject("properties").entrySet().forEach(property -> {
      String name = path + property.getKey();
      names.add(name);
      JsonObject value = property.getValue().getAsJsonObject();
      if (!value.has("description")) {
        undescribed.add(name);
      }
      collect(name + ".", value, names, undescribed);
    });
  }

  private static void collect(String path, Map<String, @Nullable Object> values, Set<String> known,
      Set<String> names) {
    values.forEach((key, value) -> {
      names.add(path + key);
      boolean goesDeeper = known.stream().anyMatch(name -> name.startsWith(path + key + "."));
      if (goesDeeper) {
        collect(path + key + ".", Yamls.map(value), known, names);
      }
    });
  }

  @Test
  @DisplayName("Its README has every value with its default and its description")
  void readmeHasEveryValue() throws IOException {
    StringBuilder table = new StringBuilder("| Value | Default | |\n|---|---|---|\n");
    rows("", JsonParser.parseString(Files.readString(Chart.DIRECTORY.resolve("values.schema.json"))).getAsJsonObject(),
        Yamls.map(Chart.DIRECTORY.resolve("values.yaml")), table);

    Golden.isPart("helm/tower-executor/README.md", "values", table.toString());
  }

  private static void rows(String path, JsonObject schema, Map<String, @Nullable Object> values, StringBuilder table) {
    schema.getAsJsonObject("properties").entrySet().forEach(property -> {
      String name = path + property.getKey();
      JsonObject value = property.getValue().getAsJsonObject();
      if (value.has("properties")) {
        rows(name + ".", value, Yamls.map(values.get(property.getKey())), table);
      } else if (values.containsKey(property.getKey())) {
        table.append("| `").append(name).append("` | `").append(new Gson().toJson(values.get(property.getKey())))
            .append("` | ").append(value.get("description").getAsString()).append(" |\n");
      }
    });
  }

  @Test
  @DisplayName("The packaged chart contains no trial values")
  void packages() throws IOException {
    new Helm(Chart.DIRECTORY).packageIt().withDestination(directory).call();

    try (Stream<Path> files = Files.list(directory)) {
      assertThat(files.map(Path::getFileName).map(Path::toString)).containsExactly("tower-executor-0.1.0.tgz");
    }
  }
}
