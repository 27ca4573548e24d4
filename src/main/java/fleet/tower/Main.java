package fleet.tower;

import java.io.ByteArrayInputStream;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

import fleet.tower.answer.Reply;
import fleet.tower.cli.AotTraining;
import fleet.tower.cli.ServeCommand;
import fleet.tower.cli.StartupCache;
import fleet.tower.cli.Tower;
import fleet.tower.cli.mcp.McpCommand;
import fleet.tower.platform.Exit;
import fleet.tower.platform.text.Console;
import fleet.tower.service.config.Daemon;
import fleet.tower.service.config.ServiceAotTraining;
import fleet.tower.service.mcp.McpCalls;
import fleet.tower.service.mcp.McpFeatures;
import fleet.tower.service.mcp.McpServer;
import fleet.tower.service.mcp.stdio.StdioServer;

/** The entry point of the program. */
public final class Main {
  private static final String TRAIN = "--train=";
  private static final String LOGGING = "slf4j.provider";

  private Main() {}

  /**
   * Runs a command line and ends the process with its exit code. {@code --train=KIND} is for the launcher: it runs the
   * commands of a kind while the JVM records which classes they load.
   */
  public static void main(String[] line) throws IOException {
    // The SQLite driver logs through SLF4J if present, which would load Logback; only the service uses that.
    System.setProperty(LOGGING, "org.slf4j.helpers.NOP_FallbackServiceProvider");
    System.setProperty("slf4j.internal.verbosity", "WARN");
    Map<String, String> environment = environment();
    StartupCache.deleteIfRejected(environment);
    Console console = Console.ofProcess();
    // Created before the training, so that the training covers it.
    Tower.Programs programs = new Tower.Programs(request -> serve(console, request),
        request -> mcp(new FileInputStream(FileDescriptor.in), new FileOutputStream(FileDescriptor.out)).run(request));
    if (line.length == 1 && line[0].startsWith(TRAIN)) {
      train(line[0].substring(TRAIN.length()));
      return;
    }
    int code = run(line, environment, console, programs);
    if (code != 0) {
      // All output is flushed. A normal exit would first search for a logger, which takes as long as a command.
      Runtime.getRuntime().halt(code);
    }
  }

  private static int run(String[] line, Map<String, String> environment, Console console, Tower.Programs programs) {
    try {
      return Tower.run(line, environment, console, programs);
    } catch (Error e) {
      return FileLimit.explain(e, console);
    }
  }

  private static void train(String what) throws IOException {
    switch (what) {
      case "locks" -> AotTraining.ofLocks();
      case "guards" -> AotTraining.ofGuards();
      case "intents" -> AotTraining.ofIntents();
      case "mcp" -> AotTraining.ofMcp(messages -> mcp(
          new ByteArrayInputStream(messages.getBytes(StandardCharsets.UTF_8)), OutputStream.nullOutputStream()));
      case "serve" -> AotTraining.ofService(request -> {
        System.clearProperty(LOGGING);
        return ServiceAotTraining.run(request.home());
      });
      default -> throw new IllegalStateException("unknown training: " + what);
    }
  }

  private static McpCommand.Start mcp(InputStream in, OutputStream out) {
    StdioServer server = new StdioServer(in, out, (home, engine) -> McpServer.of(new McpFeatures(home, engine,
        McpCalls.of(home, engine, home.runs().queuedRuns(engine), home.tasks(), home.mailboxes()),
        Path.of("").toAbsolutePath()).all()));
    return request -> {
      if (request.service() == null) {
        server.serve(request.home(), request.caller(), request.interruptions()::on, request.warnings());
      } else {
        server.relay(request.service(), request.home(), request.interruptions()::on, request.warnings());
      }
      return Reply.silent(Exit.DONE);
    };
  }

  /** The property {@code tower.home} is the same as TOWER_HOME, and closer to this process. */
  private static Map<String, String> environment() {
    String home = System.getProperty("tower.home");
    if (home == null) {
      return System.getenv();
    }
    Map<String, String> environment = new HashMap<>(System.getenv());
    environment.put("TOWER_HOME", home);
    return environment;
  }

  private static Reply serve(Console console, ServeCommand.Request request) {
    System.clearProperty(LOGGING);
    return new Daemon(request.home(), console).run(request.port());
  }
}
