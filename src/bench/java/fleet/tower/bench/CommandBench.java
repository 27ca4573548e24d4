package fleet.tower.bench;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import javax.tools.ToolProvider;

import fleet.tower.performance.Measure;
import fleet.tower.performance.Report;
import fleet.tower.service.config.TestService;

/** A benchmark of a short command as a whole process against the smallest program of the same JDK. */
final class CommandBench {
  private static final String HANDSHAKE = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":"
      + "{\"protocolVersion\":\"2025-11-25\"}}";

  private final Path base;
  private final Path project;

  CommandBench(Path base, Path project) {
    this.base = base;
    this.project = project;
  }

  void run(Report report) throws Exception {
    Path source = Files.writeString(base.resolve("Hello.java"),
        "public class Hello { public static void main(String[] a) { System.out.println(\"hello\"); } }");
    LockBench.expect(ToolProvider.getSystemJavaCompiler().run(null, null, null, source.toString()) == 0);
    List<String> hello = List.of(Path.of(System.getProperty("java.home"), "bin/java").toString(), "-cp",
        base.toString(), "Hello");
    Path home = base.resolve("home");
    String tower = project.resolve("bin/tower").toString();
    TestService.makeHome(home);
    run(home, 0, List.of(tower, "lock", "held", "--ttl", "1h"));
    AotCaches.await(project, "locks");
    compare(home, 1, List.of(tower, "check", "held"), hello).report(report, Measure.CHECK);
    compare(home, 0, List.of(tower, "locks"), hello).report(report, Measure.LOCKS);
    compare(home, 0, List.of(tower, "guard", "x", "--", "true"), hello).report(report, Measure.GUARD);
    run(home, 0, List.of(tower, "mcp", "--help"));
    AotCaches.await(project, "mcp");
    compare(home, 0, List.of("sh", "-c", "echo '" + HANDSHAKE + "' | " + tower + " mcp"), hello)
        .report(report, Measure.MCP);
  }

  private static Comparison compare(Path home, int code, List<String> command, List<String> hello) throws Exception {
    return Comparison.of(25, 1, _ -> run(home, code, command), _ -> run(home, 0, hello));
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
