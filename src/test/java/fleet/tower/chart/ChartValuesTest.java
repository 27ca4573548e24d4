package fleet.tower.chart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("The effect of each value of the chart")
class ChartValuesTest {
  private static final Path FILES = Chart.valueSet("files");
  private static final Path ROOT = Chart.valueSet("files-root");
  private static final Path FLEET = Chart.valueSet("fleet");
  private static final Path VOLUME = Chart.valueSet("volume");

  @TempDir
  private Path directory = Path.of("");

  static List<Path> valueSets() {
    return Chart.valueSets();
  }

  private Manifests with(Path base, String values) throws IOException {
    return Chart.render(base, Files.writeString(directory.resolve("more.yaml"), values));
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "ConfigMap fleet-tower-executor-intents | {} | intents: { a: 'metadata: { name: a }' }",
      "ConfigMap fleet-tower-executor-config | {} | config: { a: b }",
      "Secret fleet-tower-executor-tokens | {} | tokens: '- name: a'",
      "Secret fleet-tower-executor-database | {} | storage: { database: { existingSecret: '', url: 'jdbc:postgresql://d/t' } }",
      "ServiceAccount deployer | serviceAccount: { create: false } | {}",
      "NetworkPolicy fleet-tower-executor | networkPolicy: { enabled: false } | {}",
      "PodDisruptionBudget fleet-tower-executor | podDisruptionBudget: { enabled: false } | {}",
      "ServiceMonitor fleet-tower-executor | podMonitor: { enabled: false } | { serviceMonitor: { enabled: true }, podMonitor: { enabled: false } }",
      "PodMonitor fleet-tower-executor | podMonitor: { enabled: false } | {}"})
  @DisplayName("Each manifest is rendered on request only; the others stay")
  void manifests(String name, String off, String on) throws IOException {
    String values = on.contains("intents") ? on + "\nexistingIntents: ''" : on;
    List<String> without = with(FLEET, off).names();
    List<String> with = with(FLEET, values.contains("tokens") ? values + "\nexistingTokens: ''" : values).names();

    assertThat(without).doesNotContain(name);
    assertThat(with).contains(name);
    List<String> expected = new ArrayList<>(without);
    expected.add(name);
    assertThat(with).containsExactlyInAnyOrderElementsOf(expected);
  }

  @ParameterizedTest
  @MethodSource("valueSets")
  @DisplayName("No pod has more privileges than it needs: root only for root's home, nothing writable, no capability")
  void closed(Path values) {
    Manifests manifests = Chart.render(values);
    boolean root = values.equals(ROOT);

    assertThat(manifests.pod().get("securityContext")).isEqualTo(Map.of("runAsNonRoot", !root, "runAsUser",
        root ? 0 : 10001, "runAsGroup", root ? 0 : 10001, "fsGroup", root ? 0 : 10001, "seccompProfile",
        Map.of("type", "RuntimeDefault")));
    Manifests hooks = Chart.hooks(directory, values);
    List<Object> containers = new ArrayList<>(
        List.of(manifests.container(), Yamls.map(hooks.at("Pod", "spec.containers.0"))));
    if (manifests.pod().get("initContainers") instanceof List<?> first) {
      containers.addAll(first);
    }
    assertThat(containers).hasSize(values.equals(VOLUME) ? 3 : 2);
    for (Object container : containers) {
      assertThat(Manifests.at(container, "securityContext")).isEqualTo(Map.of("allowPrivilegeEscalation", false,
          "readOnlyRootFilesystem", true, "capabilities", Map.of("drop", List.of("ALL"))));
    }
    assertThat(manifests.pod()).doesNotContainKeys("hostPID", "hostNetwork", "hostIPC");
    assertThat(manifests.pod().get("automountServiceAccountToken")).isEqualTo(values.equals(FLEET));
    assertThat(hooks.at("Pod", "spec.securityContext.runAsNonRoot")).isEqualTo(true);
  }

  @Test
  @DisplayName("Files: one pod on the tower host, at the host's own path, never two during an upgrade")
  void files() {
    Manifests manifests = Chart.render(FILES);

    assertThat(manifests.at("Deployment", "spec.replicas")).isEqualTo(1);
    assertThat(manifests.at("Deployment", "spec.strategy")).isEqualTo(Map.of("type", "Recreate"));
    assertThat(manifests.pod().get("nodeSelector")).isEqualTo(Map.of("kubernetes.io/hostname", "tower-01"));
    assertThat(manifests.at("Deployment", "spec.template.spec.volumes.0")).isEqualTo(Map.of("name", "home", "hostPath",
        Map.of("path", "/var/lib/tower-executor", "type", "Directory")));
    assertThat(Manifests.at(manifests.container(), "volumeMounts.0"))
        .isEqualTo(Map.of("name", "home", "mountPath", "/var/lib/tower-executor"));
    assertThat(manifests.variable("TOWER_HOME")).isEqualTo("/var/lib/tower-executor");
    assertThat(manifests.variable("TOWER_HOST_ID")).isEqualTo(Map.of("fieldRef", Map.of("fieldPath", "spec.nodeName")));
    assertThat(manifests.variable("TOWER_DATABASE_URL")).isNull();
  }

  @Test
  @DisplayName("A volume: one pod on any node, always the same host, with a claim that outlives the release")
  void volume() throws IOException {
    Manifests manifests = Chart.render(VOLUME);

    assertThat(manifests.at("Deployment", "spec.strategy")).isEqualTo(Map.of("type", "Recreate"));
    assertThat(manifests.pod()).doesNotContainKey("nodeSelector");
    assertThat(manifests.at("Deployment", "spec.template.spec.volumes.0")).isEqualTo(Map.of("name", "home",
        "persistentVolumeClaim", Map.of("claimName", "fleet-tower-executor-home")));
    assertThat(manifests.variable("TOWER_HOST_ID")).isEqualTo("fleet-tower-executor");
    assertThat(manifests.at("PersistentVolumeClaim", "spec")).isEqualTo(Map.of("accessModes", List.of("ReadWriteOnce"),
        "storageClassName", "ssd", "resources", Map.of("requests", Map.of("storage", "20Gi"))));
    assertThat(manifests.at("PersistentVolumeClaim", "metadata.annotations"))
        .isEqualTo(Map.of("helm.sh/resource-policy", "keep"));

    Manifests existing = with(VOLUME, "persistence: { existingClaim: mine }");
    assertThat(existing.names()).doesNotContain("PersistentVolumeClaim fleet-tower-executor-home");
    assertThat(existing.at("Deployment", "spec.template.spec.volumes.0.persistentVolumeClaim"))
        .isEqualTo(Map.of("claimName", "mine"));
    assertThat(with(VOLUME, "persistence: { storageClass: '' }").text()).doesNotContain("storageClassName");
  }

  @Test
  @DisplayName("TLS of the service: its certificate from a Secret, probes, scrapes and `helm test` over HTTPS")
  void tls() throws IOException {
    Manifests manifests = Chart.render(VOLUME);

    assertThat(List.of("startupProbe", "livenessProbe", "readinessProbe").stream()
        .map(probe -> Manifests.at(manifests.container(), probe + ".httpGet.scheme"))).containsOnly("HTTPS");
    assertThat(manifests.variable("SERVER_SSL_BUNDLE")).isEqualTo("tower");
    assertThat(manifests.at("ServiceMonitor", "spec.endpoints.0.scheme")).isEqualTo("https");
    assertThat(Chart.hooks(directory, VOLUME).at("Pod", "spec.containers.0.command")).asInstanceOf(LIST)
        .endsWith("fleet-tower-executor:8080", "https://tower.example.org:8080", "/tls/ca.crt");
    assertThat(Chart.hooks(directory.resolve("named"), VOLUME).at("Pod", "spec.volumes.0.secret.items"))
        .asInstanceOf(LIST)
        .as("no private key").containsExactly(Map.of("key", "ca.crt", "path", "ca.crt"));
    assertThat(with(VOLUME, "tls: { existingSecret: '' }").text()).doesNotContain("scheme: HTTPS", "SSL_BUNDLE");
  }

  @Test
  @DisplayName("A PodMonitor has the settings of the ServiceMonitor, and replaces it")
  void podMonitor() throws IOException {
    Manifests services = Chart.render(VOLUME);
    Manifests pods = with(VOLUME, "{ serviceMonitor: { enabled: false }, podMonitor: { enabled: true } }");

    assertThat(pods.names()).contains("PodMonitor fleet-tower-executor")
        .doesNotContain("ServiceMonitor fleet-tower-executor");
    assertThat(pods.at("PodMonitor", "spec.podMetricsEndpoints"))
        .isEqualTo(services.at("ServiceMonitor", "spec.endpoints"));
    assertThat(pods.at("PodMonitor", "spec.selector")).isEqualTo(services.at("ServiceMonitor", "spec.selector"));
  }

  @Test
  @DisplayName("The labels of the hosts")
  void labels() throws IOException {
    assertThat(with(FLEET, "labels: [db-admin, eu-west-1]").variable("TOWER_LABELS")).isEqualTo("db-admin,eu-west-1");
    assertThat(with(FLEET, "labels: []").variable("TOWER_LABELS")).isNull();
  }

  @Test
  @DisplayName("The Ingress routes every host to the service")
  void ingress() throws IOException {
    Manifests manifests = with(VOLUME, "ingress: { hosts: [a.example.org, '*.b.example.org'] }");

    assertThat(List.of(0, 1).stream().map(i -> manifests.at("Ingress", "spec.rules." + i + ".host")))
        .containsExactly("a.example.org", "*.b.example.org");
    assertThat(manifests.at("Ingress", "spec.rules.1.http.paths.0")).isEqualTo(Map.of("path", "/", "pathType", "Prefix",
        "backend", Map.of("service", Map.of("name", "fleet-tower-executor", "port", Map.of("name", "http")))));
    assertThat(manifests.at("Ingress", "spec.ingressClassName")).isEqualTo("nginx");
    assertThat(with(VOLUME, "ingress: { className: '' }").text()).doesNotContain("ingressClassName");
  }

  @Test
  @DisplayName("Agents may call /mcp under the names of the Service and the Ingress, unless config has other names")
  void agents() throws IOException {
    String service = "fleet-tower-executor,fleet-tower-executor.tower,fleet-tower-executor.tower.svc,"
        + "fleet-tower-executor.tower.svc.cluster.local";
    assertThat(Chart.render(FILES).variable("TOWER_MCP_ALLOWED_HOSTS")).isEqualTo(service);
    assertThat(Chart.render(FILES).variable("TOWER_MCP_RESOURCE")).isNull();
    assertThat(Chart.render(VOLUME).variable("TOWER_MCP_ALLOWED_HOSTS")).isEqualTo(service + ",tower.example.org");
    assertThat(Chart.render(VOLUME).variable("TOWER_MCP_RESOURCE")).isEqualTo("https://tower.example.org/mcp");

    Manifests many = with(VOLUME,
        """
            ingress:
              hosts: ['*.example.org', plain.example.org, b.example.org, c.example.org]
              tls: [{ secretName: a, hosts: ['*.example.org'] }, { secretName: b }, { hosts: [c.example.org, b.example.org] }]
            """);
    assertThat(many.variable("TOWER_MCP_ALLOWED_HOSTS"))
        .isEqualTo(service + ",plain.example.org,b.example.org,c.example.org");
    assertThat(many.variable("TOWER_MCP_RESOURCE")).isEqualTo("https://b.example.org/mcp");

    for (String config : List.of("{ tower: { mcp: { allowed-hosts: [a], resource: 'https://a.example.org/mcp' } } }",
        "{ tower.mcp.allowed-hosts: [a], tower.mcp.resource: 'https://a.example.org/mcp' }")) {
      Manifests own = with(VOLUME, "config: " + config);
      assertThat(own.variable("TOWER_MCP_ALLOWED_HOSTS")).isNull();
      assertThat(own.variable("TOWER_MCP_RESOURCE")).isNull();
    }
    assertThat(with(VOLUME, "ingress: { enabled: false }").variable("TOWER_MCP_RESOURCE")).isNull();
    assertThat(with(VOLUME, "config: { tower: { mcp: { enabled: true } } }").variable("TOWER_MCP_RESOURCE"))
        .isEqualTo("https://tower.example.org/mcp");
  }

  @Test
  @DisplayName("The database: its URL from a Secret, a home that is deleted with the pod, pods replaced one by one")
  void database() {
    Manifests manifests = Chart.render(FLEET);

    assertThat(manifests.at("Deployment", "spec.replicas")).isEqualTo(3);
    assertThat(manifests.at("Deployment", "spec.strategy")).isEqualTo(Map.of("type", "RollingUpdate", "rollingUpdate",
        Map.of("maxUnavailable", 0, "maxSurge", 1)));
    assertThat(manifests.variable("TOWER_DATABASE_URL"))
        .isEqualTo(Map.of("secretKeyRef", Map.of("name", "tower-database", "key", "jdbc-url")));
    assertThat(manifests.variable("TOWER_HOST_ID")).isEqualTo(Map.of("fieldRef", Map.of("fieldPath", "metadata.name")));
    assertThat(manifests.at("Deployment", "spec.template.spec.volumes.0"))
        .isEqualTo(Map.of("name", "home", "emptyDir", Map.of("sizeLimit", "5Gi")));
    assertThat(manifests.text()).doesNotContain("hostPath");

    Manifests own = Chart.render(Chart.valueSet("bare"));
    assertThat(own.variable("TOWER_DATABASE_URL"))
        .isEqualTo(Map.of("secretKeyRef", Map.of("name", "tower-database", "key", "url")));
    assertThat(own.at("Secret", "stringData.url"))
        .isEqualTo("jdbc:postgresql://db.example.org/tower?user=tower&password=change-me");
  }

  @ParameterizedTest
  @CsvSource({"20, 70, 90", "0, 10, 10", "3600, 3600, 7200"})
  @DisplayName("A pod's termination grace is longer than the service's own drain")
  void drains(int grace, int undo, int period) throws IOException {
    Manifests manifests = with(FILES, "shutdown: { graceSeconds: " + grace + ", undoSeconds: " + undo + " }");

    assertThat(manifests.variable("TOWER_SHUTDOWN_GRACE")).isEqualTo(grace + "s");
    assertThat(manifests.pod().get("terminationGracePeriodSeconds")).isEqualTo(period);
  }

  @Test
  @DisplayName("Probes use the health groups: startup and liveness liveness, readiness readiness")
  void probes() {
    Map<String, ?> container = Chart.render(FILES).container();

    assertThat(List.of("startupProbe", "livenessProbe", "readinessProbe")
        .stream().map(probe -> Manifests.at(container, probe + ".httpGet"))).containsExactly(
            Map.of("path", "/actuator/health/liveness", "port", "http"),
            Map.of("path", "/actuator/health/liveness", "port", "http"),
            Map.of("path", "/actuator/health/readiness", "port", "http"));
  }

  @Test
  @DisplayName("Intents and tokens are mounted as whole directories and restart nothing; configuration restarts "
      + "the pods")
  void reloads() throws IOException {
    Manifests before = Chart.render(ROOT);
    Manifests after = with(ROOT, "intents: { ping: 'metadata: { name: ping }' }\ntokens: '- name: b'");
    Manifests configured = with(ROOT, "config: { server: { port: 9 } }");

    assertThat(before.text()).doesNotContain("subPath");
    assertThat(after.at("Deployment", "spec")).isEqualTo(before.at("Deployment", "spec"));
    for (String text : List.of("ConfigMap fleet-tower-executor-intents", "Secret fleet-tower-executor-tokens")) {
      assertThat(after.find(text)).isPresent().isNotEqualTo(before.find(text));
    }
    assertThat(configured.at("Deployment", "spec.template.metadata.annotations"))
        .isNotEqualTo(before.at("Deployment", "spec.template.metadata.annotations"));
  }

  @Test
  @DisplayName("Without values for them, config and intents of the host's home are used")
  void hostsOwn() {
    assertThat(Chart.render(FILES).container().get("volumeMounts")).asInstanceOf(LIST)
        .extracting(mount -> Manifests.at(mount, "name"))
        .containsExactly("home", "tmp");
  }

  @Test
  @DisplayName("The network policy admits the named sources, or else the namespace; egress is open unless destinations "
      + "are named")
  void network() throws IOException {
    Manifests named = Chart.render(FLEET);
    Manifests open = with(FLEET, "networkPolicy: { from: [], egress: [] }");

    assertThat(named.at("NetworkPolicy", "spec.policyTypes")).isEqualTo(List.of("Ingress", "Egress"));
    assertThat(open.at("NetworkPolicy", "spec.policyTypes")).isEqualTo(List.of("Ingress"));
    assertThat(open.at("NetworkPolicy", "spec.ingress.0.from")).isEqualTo(List.of(Map.of("podSelector", Map.of())));
    assertThat(named.at("NetworkPolicy", "spec.ingress.0.ports"))
        .isEqualTo(List.of(Map.of("port", "http", "protocol", "TCP")));
  }

  @Test
  @DisplayName("Every template has a manifest in one of the value sets")
  void everyTemplateIsUsed() throws IOException {
    Set<String> templates = new TreeSet<>();
    try (Stream<Path> files = Files.walk(Chart.DIRECTORY.resolve("templates"))) {
      files.filter(file -> file.toString().endsWith(".yaml"))
          .filter(file -> !file.toString().contains("/tests/"))
          .forEach(file -> templates.add("# Source: tower-executor/" + Chart.DIRECTORY.relativize(file)));
    }
    for (Path values : valueSets()) {
      String text = Chart.render(values).text();
      templates.removeIf(text::contains);
    }

    assertThat(templates).isEmpty();
  }
}
