package fleet.tower.chart;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Await;
import fleet.tower.harness.TestCertificate;
import fleet.tower.service.config.TestService;

/** Tests the chart by doing what a pod does: its variables, its probes, its test, its replaced directories. */
@DisplayName("The chart's pods, running the real service")
class PodTest {
  @TempDir
  private Path directory = Path.of("");

  @Test
  @DisplayName("The service accepts every variable of the pod, and the probes' paths answer without a token")
  void probesAnswer() throws IOException {
    Manifests manifests = Chart.render(Chart.valueSet("files-root"));
    try (TestService service = new TestService(directory, "--tower.shutdown.grace=" + manifests.variable(
        "TOWER_SHUTDOWN_GRACE"), "--server.address=" + manifests.variable("SERVER_ADDRESS"))) {
      for (String probe : List.of("startupProbe", "livenessProbe", "readinessProbe")) {
        Object path = Manifests.at(manifests.container(), probe + ".httpGet.path");
        assertThat(service.send(service.request(String.valueOf(path)).build()).status()).as(probe).isEqualTo(200);
      }
    }
  }

  @Test
  @DisplayName("The service answers agents under every name that the pod's variables allow, and under no other")
  void agents() throws IOException {
    Manifests manifests = Chart.render(Chart.valueSet("volume"));
    String hosts = String.valueOf(manifests.variable("TOWER_MCP_ALLOWED_HOSTS"));
    try (TestService service = new TestService(directory, "--server.address=127.0.0.1",
        "--tower.mcp.allowed-hosts=" + hosts,
        "--tower.mcp.resource=" + manifests.variable("TOWER_MCP_RESOURCE"))) {
      int port = URI.create(service.url()).getPort();
      for (String host : hosts.split(",", -1)) {
        assertThat(statusOfMetadata(host, port)).as(host).isEqualTo("200");
      }
      assertThat(statusOfMetadata("other.example.org", port)).isEqualTo("403");
    }
  }

  private static String statusOfMetadata(String host, int port) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.getOutputStream().write(("GET /.well-known/oauth-protected-resource/mcp HTTP/1.1\r\nHost: " + host
          + "\r\nConnection: close\r\n\r\n").getBytes(StandardCharsets.UTF_8));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8).split(" ", 3)[1];
    }
  }

  @Test
  @DisplayName("`helm test` succeeds only for a service that is ready and protected")
  void helmTest() throws Exception {
    Map<String, @Nullable Object> container = Yamls
        .map(Chart.hooks(directory.resolve("chart"), Chart.valueSet("files")).at("Pod", "spec.containers.0"));
    List<String> command = new ArrayList<>();
    ((List<?>) Objects.requireNonNull(container.get("command"))).forEach(word -> command.add(String.valueOf(word)));
    assertThat(command.subList(5, command.size())).containsExactly("fleet-tower-executor:8080",
        "http://fleet-tower-executor.tower.svc:8080");
    // This test does not wait a minute for a service that will not start.
    command.set(4, command.get(4).replace("seq 30", "seq 1").replace("sleep 2", ":"));

    try (TestService service = new TestService(directory.resolve("home"))) {
      int port = URI.create(service.url()).getPort();
      assertThat(run(command, port, "http")).isEqualTo("0: /actuator/health/readiness 200\n/locks 401\n");
    }
    assertThat(run(command, 1, "http")).startsWith("1: ").contains("/actuator/health/readiness 000");
    try (UnprotectedServer open = new UnprotectedServer()) {
      assertThat(run(command, open.port(), "http")).isEqualTo("1: /actuator/health/readiness 200\n/locks 200\n");
    }

    Path one = certificate("one");
    Path other = certificate("other");
    try (TestService service = new TestService(directory.resolve("home"), "--server.ssl.bundle=tower",
        "--spring.ssl.bundle.pem.tower.keystore.certificate=file:" + one,
        "--spring.ssl.bundle.pem.tower.keystore.private-key=file:" + one.resolveSibling("one.key"))) {
      int port = URI.create(service.url()).getPort();
      assertThat(run(command, port, "https", one.toString()))
          .isEqualTo("0: /actuator/health/readiness 200\n/locks 401\n");
      assertThat(run(command, port, "https", other.toString())).as("another authority").startsWith("1: ");
      assertThat(run(command, port, "https", "/no/such/file")).as("the authorities of the system").startsWith("1: ");
    }
  }

  /** A certificate of its own for the name of the Service. */
  private Path certificate(String name) throws Exception {
    Path file = directory.resolve(name + ".crt");
    TestCertificate.issue(directory, name, "dns:fleet-tower-executor.tower.svc")
        .write(file, directory.resolve(name + ".key"));
    return file;
  }

  private String run(List<String> command, int port, String scheme, String... authority) throws Exception {
    List<String> words = new ArrayList<>(command.subList(0, 5));
    words.add("127.0.0.1:" + port);
    words.add(scheme + "://fleet-tower-executor.tower.svc:" + port);
    words.addAll(List.of(authority));
    Path out = directory.resolve("out");
    Process process = new ProcessBuilder(words).redirectErrorStream(true).redirectOutput(out.toFile()).start();
    Await.exitOf(process);
    return process.exitValue() + ": " + Files.readString(out);
  }

  @Test
  @DisplayName("The operator's token of a Secret becomes the token of the home, at every start of the pod")
  void operatorToken() throws Exception {
    Map<String, @Nullable Object> container = Yamls.map(Chart.render(Chart.valueSet("volume"))
        .at("Deployment", "spec.template.spec.initContainers.0"));
    List<?> command = (List<?>) Objects.requireNonNull(container.get("command"));
    assertThat(command.get(3)).isEqualTo("/var/lib/tower-executor");
    Path home = directory.resolve("a home");
    Path secret = directory.resolve("token");
    String script = String.valueOf(command.get(2)).replace("/operator/token", secret.toString());
    for (String token : List.of("first-token-of-more-than-32-characters", "second-token-of-more-than-32-characters")) {
      Files.writeString(secret, token + "\n");
      assertThat(new ProcessBuilder("sh", "-euc", script, home.toString()).inheritIO().start().waitFor()).isZero();
      try (TestService service = new TestService(home)) {
        assertThat(service.printed()).noneMatch(line -> line.startsWith("tower: wrote"));
        assertThat(service.send(service.request("/freezes").setHeader("Authorization", "Bearer " + token).build())
            .status()).isEqualTo(200);
      }
    }
  }

  @Test
  @DisplayName("Intents of a ConfigMap are loaded, and loaded again when the kubelet replaces its directory")
  void intentsAreReRead() throws IOException {
    Path intents = Files.createDirectories(directory.resolve("intents"));
    String ping = String.valueOf(((Map<?, ?>) Objects.requireNonNull(
        Chart.render(Chart.valueSet("files-root")).at("ConfigMap fleet-tower-executor-intents", "data")))
        .get("ping.yaml"));
    mount(intents, "..one", ping, "ping.yaml");

    try (TestService service = new TestService(directory)) {
      assertThat(service.post("/intents/ping", "{}").body()).contains("\"status\":\"succeeded\"", "here");
      mount(intents, "..two", ping.replace("echo, here", "echo, there"), "ping.yaml");
      Await.until("the new intent", () -> service.post("/intents/ping", "{}").body()
          .matches(".*\"status\":\"succeeded\".*\"output_tail\":\"there\".*"));
    }
  }

  /** Acts like the kubelet: files in a new directory, a link to it that is replaced, links through that one. */
  private static void mount(Path volume, String version, String text, String file) throws IOException {
    Files.createDirectory(volume.resolve(version));
    Files.writeString(volume.resolve(version).resolve(file), text);
    Path fresh = Files.createSymbolicLink(volume.resolve("..data_tmp"), Path.of(version));
    Files.move(fresh, volume.resolve("..data"), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    if (Files.notExists(volume.resolve(file))) {
      Files.createSymbolicLink(volume.resolve(file), Path.of("..data", file));
    }
  }
}
