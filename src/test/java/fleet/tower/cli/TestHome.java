package fleet.tower.cli;

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

import fleet.tower.cli.shell.Exit;
import fleet.tower.cli.shell.Reply;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonValue;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.text.Console;
import fleet.tower.platform.time.Timestamps;
import fleet.tower.platform.time.system.SystemTime;
import fleet.tower.service.config.TestService;

/** A home in a directory of its own, and the command line on it, run in this process. */
final class TestHome {
  private final Path root;
  private final Map<String, String> environment = new HashMap<>();

  TestHome(Path root) {
    this.root = root;
    TestService.makeHome(root);
    with("TOWER_HOME", root.toString()).with("TOWER_LOCK_INSECURE_DIRECTORY", "true").with("TOWER_HOST_ID", "tower-01")
        .with("TOWER_ACTOR", "alice");
  }

  /** What a command line did: exit code, data, words. */
  record Outcome(int exit, String out, String err) {

    /** The one JSON object on stdout. */
    JsonObject json() {
      return TestHome.json(out.strip());
    }

    /** The data of a success. */
    JsonObject data() {
      return json().object("data").orElseThrow(() -> new AssertionError("no data in " + out));
    }

    /** What a failure tells programs. */
    JsonObject context() {
      return json().object("error_context").orElseThrow(() -> new AssertionError("no context in " + out));
    }

    String errorCode() {
      return json().text("error_code").orElse("none in " + out);
    }
  }

  /** Sets a variable of the environment; empty is as good as unset. */
  TestHome with(String name, String value) {
    environment.put(name, value);
    return this;
  }

  Outcome run(String... line) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int exit = Tower.run(line, environment, new Console(stream(out), stream(err)),
        TestHome::noService);
    return new Outcome(exit, out.toString(StandardCharsets.UTF_8), withoutDiskWarning(err));
  }

  /** A service that would have been started; it answers with the port it was to have. */
  static Reply noService(ServeCommand.Request request) {
    return Reply.of(Exit.DONE, JsonWriter.line().put("port", request.port().orElse(-1)));
  }

  /** A command line in words with single blanks between them. */
  Outcome tower(String line) {
    return run(line.split(" ", -1));
  }

  Path root() {
    return root;
  }

  Path locks() {
    return root.resolve("logs/locks");
  }

  Path lockFile(String name) {
    return locks().resolve(name + ".lock");
  }

  /** The lock file of a writer that knows the specification and nothing more: no fencing token, no beat file. */
  void foreignLock(String name, Instant heartbeat, long ttlSeconds) {
    rawLock(name, foreignText(name, heartbeat, ttlSeconds));
  }

  static String foreignText(String name, Instant heartbeat, long ttlSeconds) {
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

  void rawLock(String name, String text) {
    try {
      Files.createDirectories(locks(),
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
      Files.writeString(lockFile(name), text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  String lockText(String name) {
    return text(lockFile(name));
  }

  /** All lines of the audit log, oldest first; empty ones stand where a process took another's unfinished line for a torn one. */
  List<String> audit() {
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
  List<String> events() {
    return audit().stream().map(line -> json(line).text("event").orElse("?")).toList();
  }

  /** Whether there is nothing in it but what makes it a home. */
  boolean isUntouched() {
    try (Stream<Path> files = Files.walk(root)) {
      return files.map(file -> root.relativize(file).toString())
          .allMatch(name -> List.of("", "intents", "config").contains(name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Everything below the home: names, kinds, times and bytes. */
  SortedMap<String, String> snapshot() {
    if (!Files.exists(root)) {
      return new TreeMap<>();
    }
    try (Stream<Path> files = Files.walk(root)) {
      return files.collect(Collectors.toMap(Path::toString, TestHome::state, (one, _) -> one, TreeMap::new));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Instant now() {
    return SystemTime.source().now();
  }

  static JsonObject json(String text) {
    try {
      return JsonReader.readObject(text);
    } catch (JsonException e) {
      throw new AssertionError(e.getMessage() + ": " + text, e);
    }
  }

  /** The texts of a list of objects' member. */
  static List<String> texts(JsonObject json, String list, String key) {
    List<String> texts = new ArrayList<>();
    if (json.get(list) instanceof JsonValue.Items items) {
      items.values().forEach(item -> texts.add(item instanceof JsonObject object ? object.text(key).orElse("?") : "?"));
    }
    return texts;
  }

  static String text(Path file) {
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

  /** The tests may run on any kind of disk; what is said about it is tested elsewhere. */
  private static String withoutDiskWarning(ByteArrayOutputStream err) {
    return err.toString(StandardCharsets.UTF_8).lines()
        .filter(line -> !line.matches("tower: warning: /\\S+ is on (tmpfs|ramfs|overlay)\\b.*"))
        .map(line -> line + "\n").collect(Collectors.joining());
  }
}
