package fleet.tower.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** A home with one intent that does nothing, served by a separate process. */
final class ServedHome implements AutoCloseable {
  private static final String READY = "tower: ready on http://127.0.0.1:";
  private static final String NOOP = """
      apiVersion: tower-fleet/intent/v1
      kind: Intent
      metadata: { name: noop, version: 1.0.0, description: Does nothing under a lock }
      spec:
        mode: mutate
        params:
          lane: { type: string, required: true, pattern: "[a-z0-9]+" }
        controls: { lock: "noop-${params.lane}" }
        steps:
          - { name: nothing, run: ["true"] }
      """;

  private final Path root;
  private final Process process;
  private final int port;

  ServedHome(Path root, Path tower) throws IOException {
    this(root, tower, Map.of());
  }

  /** @param environment additional variables of the service */
  ServedHome(Path root, Path tower, Map<String, String> environment) throws IOException {
    this.root = root;
    Files.writeString(Files.createDirectories(root.resolve("intents")).resolve("noop.yaml"), NOOP);
    ProcessBuilder builder = new ProcessBuilder(tower.toString(), "serve", "--port", "0")
        .redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().put("TOWER_HOME", root.toString());
    builder.environment().put("TOWER_LOCK_INSECURE_DIRECTORY", "true");
    builder.environment().putAll(environment);
    process = builder.start();
    BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
    String line = out.readLine();
    while (line != null && !line.startsWith(READY)) {
      line = out.readLine();
    }
    if (line == null) {
      throw new IOException("the service did not start");
    }
    port = Integer.parseInt(line.substring(READY.length()));
  }

  KeepAliveConnection connect() throws IOException {
    return new KeepAliveConnection(port, token());
  }

  /** The operator's token. */
  String token() throws IOException {
    return Files.readString(root.resolve("state/token")).strip();
  }

  int port() {
    return port;
  }

  /** The resident memory of the process, in MiB. */
  long residentMebibytes() throws IOException {
    return Files.readAllLines(Path.of("/proc/" + process.pid() + "/status")).stream()
        .filter(line -> line.startsWith("VmRSS:")).map(line -> line.replaceAll("\\D", "")).findFirst()
        .map(Long::parseLong).orElseThrow() / 1024;
  }

  @Override
  public void close() {
    process.destroy();
    process.onExit().join();
  }
}
