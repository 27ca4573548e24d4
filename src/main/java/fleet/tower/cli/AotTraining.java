package fleet.tower.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;

import fleet.tower.answer.Reply;
import fleet.tower.cli.mcp.McpCommand;
import fleet.tower.operation.LockOperations;
import fleet.tower.platform.disk.WrittenFile;
import fleet.tower.platform.text.Console;

/**
 * The training run for the AOT caches: runs every command once in a temporary home, so that the JVM can record it.
 *
 * <p>The JVM caches neither the class of a {@code switch} over types nor a lambda of an interface with default methods
 * and constants, so the path of every short command avoids both.
 */
public final class AotTraining {
  private static final List<String> OF_LOCKS = List.of("version", "check sample", "exists sample",
      "lock sample --ttl 1m --actor a", "lock sample --request-id r1", "lock second --request-id r1 --ttl 30s",
      "fence second --token 1", "check second", "locks",
      "locks second", "locks --json", "exists second", "lock second --json", "unlock second --request-id r1",
      "force-release sample --reason sample", "freeze sample --ttl 30m --reason sample", "lock sample",
      "unfreeze sample", "audit --since 8h", "lock Bad");

  /** {@code @} is replaced by the home. */
  private static final List<String> OF_GUARDS = List.of("version", "lock held --ttl 1m --actor a --request-id r1",
      "heartbeat held --request-id r1", "guard held -- true",
      "guard free --ttl 1m -- true", "guard free --wait -- sh -c exit", "guard held --wait 100ms -- true",
      "exclusive check @", "exclusive acquire @", "exclusive check @", "exclusive release @");

  private static final List<String> OF_INTENTS = List.of("version", "validate", "plan sample",
      "run sample -p app=b --actor a", "run sample --json --wait 1s", "run sample -p app=B", "run nothing",
      "intents", "runs", "doctor", "prime", "lock second", "why second", "help", "completion bash",
      "task create one --id t --agent a --request-id 1 --intent sample",
      "task claim --agent a --request-id 2", "task claim --agent a --request-id 2",
      "task start t --agent b --request-id 3",
      "task heartbeat t --agent a --request-id 4", "task list", "task get t", "task events t",
      "task release t --agent a --request-id 5", "task work --agent a", "task resume --agent a --request-id 6 --json",
      "task gc --agent a --request-id 7", "task close t --agent a --request-id 8 --outcome done",
      "mailbox send m one --id m1 --reply-to n", "mailbox send m {\"a\":2} --id m2 --json", "mailbox receive m",
      "mailbox receive n --wait 100ms --json", "mailbox ack m m1/r1", "mailbox count", "mailbox dead m",
      "mailbox dead m --revive", "mailbox purge m");

  private static final List<String> OF_MCP = List.of("version", "mcp install claude", "mcp");

  private static final List<String> OF_SERVICE = List.of("serve");

  /** The messages of a client. */
  private static final String MESSAGES = """
      {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},\
      "clientInfo":{"name":"sample","version":"1"}}}
      {"jsonrpc":"2.0","method":"notifications/initialized"}
      {"jsonrpc":"2.0","id":2,"method":"tools/list"}
      {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"sample","arguments":{"app":"b"}}}
      {"jsonrpc":"2.0","id":4,"method":"server/discover","params":{"_meta":{\
      "io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}
      {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"%s","arguments":{},"_meta":{\
      "io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}
      """.formatted(LockOperations.LIST.toolName());

  private static final String INTENT = """
      apiVersion: tower-fleet/intent/v1
      kind: Intent
      metadata: { name: sample, version: 1.0.0 }
      spec:
        mode: reconcile
        params:
          app: { type: string, pattern: "[a-z]+", default: a }
          count: { type: integer, minimum: 1, maximum: 9, default: 1 }
        controls: { lock: "a-${params.app}" }
        timeouts: { lock_ttl: 60 }
        steps:
          - name: one
            run: [echo, "${params.app}"]
            env: { COUNT: "${params.count}" }
          - name: two
            script: echo
        schedule: "0 0 3 * * *"
      """;

  /** Temporary directories may be on overlay file systems. */
  private static final String SETTINGS = """
      tower:
        lock:
          insecure-directory: true
          store: file
        heartbeat:
          max-interval: 30s
        queue.workers: 4
        console.scope: "openid"
      """;

  private AotTraining() {}

  /** Trains the lock commands, which are frequent, short, and load half as many classes as the others. */
  public static void ofLocks() throws IOException {
    train(OF_LOCKS);
  }

  /** Trains guards and the foreign locks that may block them. */
  public static void ofGuards() throws IOException {
    train(OF_GUARDS);
  }

  /** Trains the commands about intents, runs, tasks, mailboxes and the home as a whole. */
  public static void ofIntents() throws IOException {
    train(OF_INTENTS);
  }

  /** Trains the protocol of agents; the server reads its messages from a text. */
  public static void ofMcp(Function<String, McpCommand.Start> server) throws IOException {
    train(OF_MCP, new Tower.Programs(AotTraining::noService, server.apply(MESSAGES)));
  }

  /** Trains the service, with the command that starts it. */
  public static void ofService(ServeCommand.Start service) throws IOException {
    if (train(OF_SERVICE, new Tower.Programs(service, AotTraining::noProtocol)) != 0) {
      throw new IllegalStateException("the service could not be trained");
    }
  }

  private static void train(List<String> lines) throws IOException {
    train(lines, new Tower.Programs(AotTraining::noService, AotTraining::noProtocol));
  }

  /** Returns the exit code of the last line. */
  private static int train(List<String> lines, Tower.Programs programs) throws IOException {
    Path home = Files.createTempDirectory("tower-training");
    Map<String, String> environment = new HashMap<>(System.getenv());
    write(Files.createDirectory(home.resolve("config")).resolve("application.yaml"), SETTINGS);
    write(Files.createDirectory(home.resolve("intents")).resolve("sample.yaml"), INTENT);
    environment.putAll(Map.of("TOWER_HOME", home.toString(), "TOWER_URL", ""));
    Console console = silent();
    int code = 0;
    for (String line : lines) {
      code = Tower.run(line.replace("@", home.toString()).split(" ", -1), environment, console, programs);
    }
    delete(home);
    return code;
  }

  private static void write(Path file, String text) throws IOException {
    WrittenFile.write(file, text.getBytes(StandardCharsets.UTF_8));
  }

  private static Reply noService(ServeCommand.Request request) {
    throw new IllegalStateException("no training command starts the service");
  }

  private static Reply noProtocol(McpCommand.Request request) {
    throw new IllegalStateException("no training command speaks the protocol");
  }

  private static Console silent() {
    PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
    return new Console(nowhere, nowhere);
  }

  private static void delete(Path home) throws IOException {
    try (Stream<Path> files = Files.walk(home)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
