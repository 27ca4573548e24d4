package fleet.tower.harness;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import fleet.tower.answer.Reply;
import fleet.tower.cli.ServeCommand;
import fleet.tower.cli.Tower;
import fleet.tower.cli.mcp.McpCommand;
import fleet.tower.platform.Exit;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonValue;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.text.Console;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.platform.time.Timestamps;
import fleet.tower.service.config.TestService;

/** A temporary home, with the command line run on it in this process. */
public final class TestHome {
  private final Path root;
  private final Map<String, String> environment = new HashMap<>();

  public TestHome(Path root) {
    this.root = root;
    TestService.makeHome(root);
    with("TOWER_HOME", root.toString()).with("TOWER_LOCK_INSECURE_DIRECTORY", "true").with("TOWER_HOST_ID", "tower-01")
        .with("TOWER_ACTOR", "alice");
  }

  /** The result of a command line: exit code, stdout, stderr. */
  public record Outcome(int exit, String out, String err) {

    /** The one JSON object on stdout. */
    public JsonObject json() {
      return TestHome.json(out.strip());
    }

    /** The stdout of a success. */
    public JsonObject data() {
      return json().object("data").orElseThrow(() -> new AssertionError("no data in " + out));
    }

    /** The JSON error of a failure. */
    public JsonObject context() {
      return json().object("error_context").orElseThrow(() -> new AssertionError("no context in " + out));
    }

    public String errorCode() {
      return json().text("error_code").orElse("none in " + out);
    }
  }

  /** Sets an environment variable; empty means unset. */
  public TestHome with(String name, String value) {
    environment.put(name, value);
    return this;
  }

  public Outcome run(String... line) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int exit = Tower.run(line, environment, new Console(stream(out), stream(err)),
        PROGRAMS);
    return new Outcome(exit, out.toString(StandardCharsets.UTF_8), withoutDiskWarning(err));
  }

  /** Programs that do not start. */
  public static final Tower.Programs PROGRAMS = new Tower.Programs(TestHome::noService, TestHome::noMcp);

  /** A fake start of the service; it returns the port that it was given. */
  public static Reply noService(ServeCommand.Request request) {
    return Reply.of(Exit.DONE, JsonWriter.line().put("port", request.port().orElse(-1)));
  }

  /** A fake server of the protocol; it returns its caller. */
  private static Reply noMcp(McpCommand.Request request) {
    return Reply.of(Exit.DONE, JsonWriter.line().put("actor", request.caller().name())
        .put("role", request.caller().role().toString()).put("door", request.caller().door().toString())
        .put("remote", request.service() != null));
  }

  /** Runs a command line whose words are separated by single spaces. */
  public Outcome tower(String line) {
    return run(line.split(" ", -1));
  }

  public Path root() {
    return root;
  }

  public Path locks() {
    return root.resolve("logs/locks");
  }

  public Path lockFile(String name) {
    return locks().resolve(name + ".lock");
  }

  /** The lock file of a foreign writer that knows only the specification: no fencing token, no heartbeat file. */
  public void foreignLock(String name, Instant heartbeat, long ttlSeconds) {
    rawLock(name, foreignText(name, heartbeat, ttlSeconds));
  }

  public static String foreignText(String name, Instant heartbeat, long ttlSeconds) {
    String moment = Timestamps.format(heartbeat);
    return """
        {
          "lock_version": "v1",
          "lock_name": "%s",
          "request_id": "req_old123",
          "actor": "claude-code",
          "intent": "deploy-app",
          "intent_version": "1.2.0",
          "host_id": "tower-02",
          "pid": 12345,
          "created_at": "%s",
          "last_heartbeat_at": "%s",
          "ttl_seconds": %d,
          "metadata": {}
        }
        """.formatted(name, moment, moment, ttlSeconds);
  }

  public void rawLock(String name, String text) {
    try {
      Files.createDirectories(locks(),
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
      Files.writeString(lockFile(name), text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Makes a lock stale: its last heartbeat was long ago, and no process has noted a later one. */
  public void age(String name) {
    try {
      Files.writeString(lockFile(name), lockText(name).replaceAll("(created_at|last_heartbeat_at)\": \"[^\"]+\"",
          "$1\": \"2026-01-01T10:00:00Z\""));
      Files.delete(locks().resolve("." + name + ".beat"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public String lockText(String name) {
    return text(lockFile(name));
  }

  /**
   * All lines of the audit log, oldest first; a line may be empty where a process took another's unfinished line for a
   * torn one.
   */
  public List<String> audit() {
    Path directory = root.resolve("logs/audit");
    if (!Files.exists(directory)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(file -> file.toString().endsWith(".jsonl")).sorted().flatMap(file -> text(file).lines())
          .filter(line -> !line.isEmpty()).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The names of the events in the audit log. */
  public List<String> events() {
    return audit().stream().map(line -> json(line).text("event").orElse("?")).toList();
  }

  /** Whether the home has nothing but its own structure. */
  public boolean isUntouched() {
    try (Stream<Path> files = Files.walk(root)) {
      return files.map(file -> root.relativize(file).toString())
          .allMatch(name -> List.of("", "intents", "config").contains(name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Everything in the home: names, kinds, times and bytes. */
  public SortedMap<String, String> snapshot() {
    if (!Files.exists(root)) {
      return new TreeMap<>();
    }
    try (Stream<Path> files = Files.walk(root)) {
      return files.collect(Collectors.toMap(Path::toString, TestHome::state, (one, _) -> one, TreeMap::new));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static Instant now() {
    return SystemTime.source().now();
  }

  public static JsonObject json(String text) {
    try {
      return JsonReader.readObject(text);
    } catch (JsonException e) {
      throw new AssertionError(e.getMessage() + ": " + text, e);
    }
  }

  /** The texts of one member of a list of objects. */
  public static List<String> texts(JsonObject json, String list, String key) {
    List<String> texts = new ArrayList<>();
    if (json.get(list) instanceof JsonValue.Items items) {
      items.values().forEach(item -> texts.add(item instanceof JsonObject object ? object.text(key).orElse("?") : "?"));
    }
    return texts;
  }

  public static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String state(Path path) {
    try {
      String meta = Files.readAttributes(path, "unix:mode,lastModifiedTime,size,ino", LinkOption.NOFOLLOW_LINKS)
          .toString();
      return Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)
          ? meta + Arrays.hashCode(Files.readAllBytes(path))
          : meta;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static PrintStream stream(ByteArrayOutputStream bytes) {
    return new PrintStream(bytes, true, StandardCharsets.UTF_8);
  }

  /** Drops the warning about the kind of disk, which other tests cover. */
  private static String withoutDiskWarning(ByteArrayOutputStream err) {
    return err.toString(StandardCharsets.UTF_8).lines()
        .filter(line -> !line.matches("tower: warning: /\\S+ is on (tmpfs|ramfs|overlay)\\b.*"))
        .map(line -> line + "\n").collect(Collectors.joining());
  }
}
