package fleet.tower.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import javax.tools.ToolProvider;

import fleet.tower.service.config.TestService;

/** A benchmark of a short command as a whole process against the smallest program of the same JDK. */
final class CommandBench {
  private static final String HANDSHAKE = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":"
      + "{\"protocolVersion\":\"2025-11-25\"}}";

  private final Path base;
  private final Path tower;

  CommandBench(Path base, Path tower) {
    this.base = base;
    this.tower = tower;
  }

  void run() throws Exception {
    Path source = Files.writeString(base.resolve("Hello.java"),
        "public class Hello { public static void main(String[] a) { System.out.println(\"hello\"); } }");
    LockBench.expect(ToolProvider.getSystemJavaCompiler().run(null, null, null, source.toString()) == 0);
    List<String> hello = List.of(Path.of(System.getProperty("java.home"), "bin/java").toString(), "-cp",
        base.toString(), "Hello");
    Path home = base.resolve("home");
    TestService.makeHome(home);
    run(home, 0, List.of(tower.toString(), "lock", "held", "--ttl", "1h"));
    awaitCache(home, "locks");
    compare("tower check NAME, whole process", home, 1, List.of(tower.toString(), "check", "held"), hello, 3);
    compare("tower locks, whole process", home, 0, List.of(tower.toString(), "locks"), hello, 4);
    compare("tower guard x -- true, whole process", home, 0, List.of(tower.toString(), "guard", "x", "--", "true"),
        hello, 3.5);
    run(home, 0, List.of(tower.toString(), "mcp", "--help"));
    awaitCache(home, "mcp");
    compare("tower mcp, whole process with a handshake", home, 0, List.of("sh", "-c", "echo '" + HANDSHAKE + "' | "
        + tower + " mcp"), hello, 6);
  }

  private static void compare(String what, Path home, int code, List<String> command, List<String> hello, double limit)
      throws Exception {
    new Comparison(what, "with its AOT cache", "java Hello",
        limit).measure(25, 1, _ -> run(home, code, command), _ -> run(home, 0, hello));
  }

  /** The first command creates the cache in the background; a second one that finds it is as fast as all later ones. */
  private void awaitCache(Path home, String kind) throws Exception {
    for (int i = 0; i < 100 && !isCached(kind); i++) {
      run(home, 0, List.of("sleep", "0.2"));
    }
    LockBench.expect(isCached(kind));
  }

  private boolean isCached(String kind) throws IOException {
    Path cache = tower.resolveSibling("../target/aot").normalize();
    if (!Files.isDirectory(cache)) {
      return false;
    }
    try (var files = Files.list(cache)) {
      return files.anyMatch(file -> file.toString().endsWith("-" + kind + ".aot"));
    }
  }

  private static void run(Path home, int code, List<String> command) throws Exception {
    ProcessBuilder builder = new ProcessBuilder(command).redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .redirectError(ProcessBuilder.Redirect.DISCARD);
    builder.environment().put("TOWER_HOME", home.toString());
    int exit = builder.start().waitFor();
    if (exit != code) {
      throw new IllegalStateException(command + " ended with " + exit + ", not " + code);
    }
  }
}
