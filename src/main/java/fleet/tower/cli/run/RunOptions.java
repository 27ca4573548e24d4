package fleet.tower.cli.run;

import static fleet.tower.cli.shell.Option.flag;
import static fleet.tower.cli.shell.Option.optionalDuration;
import static fleet.tower.cli.shell.Option.repeated;
import static fleet.tower.cli.shell.Option.value;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import fleet.tower.answer.Failures;
import fleet.tower.answer.Reply;
import fleet.tower.answer.UsageError;
import fleet.tower.cli.shell.Arguments;
import fleet.tower.cli.shell.Option;
import fleet.tower.intent.Catalogue;
import fleet.tower.intent.Parameter;
import fleet.tower.intent.Values.Given;
import fleet.tower.lease.Actor;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.queue.Wait;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonValue;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.text.Console;
import fleet.tower.platform.time.TimeSpans;
import fleet.tower.run.Run;
import fleet.tower.run.submit.PlanHash;
import fleet.tower.run.submit.RunRequest;

/** The options of commands that run an intent. */
public final class RunOptions {
  private static final Duration DEFAULT_WAIT = Duration.ofMinutes(10);
  private static final int MAX_FILE = 4 << 20;
  private static final String STDIN = "-";

  static final Option ACTOR = value("actor", "A", "the actor (default: TOWER_ACTOR, else the OS user)");
  static final Option REQUIRE_LOCK = flag("require-lock", "refuse a mutating intent that declares no lock");

  static final Option QUEUE = flag("queue",
      "queue the run for any executor of the home, and print its request id without waiting");
  static final Option DETACH = flag("detach",
      "start the run in the service, or queue it for one, and print its request id without waiting");

  static final Option FORCE_LOCK = flag("force-lock", "take the lock from its holder if it is stale");
  static final Option PLAN_HASH = value("plan-hash", "H",
      "run it only if it would do what the plan with this hash shows (at least 12 digits)");

  public static final List<Option> PARAMS = List.of(
      repeated("p", "param", "K=V", "a parameter; K= gives an empty string"),
      value("params-file", "F",
          "parameters as one JSON object in a file, or - for stdin; use it for secrets, because `ps` shows -p"));
  static final List<Option> TERMS = List.of(
      optionalDuration("wait", "wait while the lock is held (default 10m, at most 1h)"),
      FORCE_LOCK, flag("force", "the same as --force-lock"), PLAN_HASH,
      Option.requestId(), ACTOR,
      REQUIRE_LOCK);

  private RunOptions() {}

  /** The request that a command line makes. */
  static RunRequest request(Arguments arguments, Actor actor) {
    return new RunRequest(arguments.operand(0), params(arguments),
        arguments.value("request-id").map(RequestId::new).orElse(null), null, new Run.Origin(actor, "{}", null),
        new RunRequest.Terms(arguments.has("force-lock") || arguments.has("force"), patience(arguments)), null, null)
        .requiring(arguments.value(PLAN_HASH.name()).map(PlanHash::parse).orElse(null));
  }

  /** The refusal by {@code --require-lock} of a mutating intent that declares no lock. */
  public static Reply noLock(String intent, String mode) {
    return Failures.of(ErrorCode.LOCK_REQUIRED,
        "intent " + intent + " has mode " + mode + " and declares no lock; nothing was started",
        "add controls.lock to it, or omit --require-lock",
        JsonWriter.line().put("intent", intent).put("mode", mode));
  }

  /** The parameters; those on the command line take precedence over the file. */
  public static Map<String, Given> params(Arguments arguments) {
    Map<String, Given> params = new LinkedHashMap<>();
    arguments.value("params-file").ifPresent(file -> params.putAll(fromFile(file)));
    params.putAll(fromLine(arguments));
    return params;
  }

  private static Map<String, Given> fromLine(Arguments arguments) {
    Map<String, Given> params = new LinkedHashMap<>();
    for (String pair : arguments.values("param")) {
      int equals = pair.indexOf('=');
      if (equals < 1) {
        throw new UsageError("-p '" + pair + "' is not NAME=VALUE");
      }
      String name = pair.substring(0, equals);
      if (params.put(name, new Given(pair.substring(equals + 1), Given.Kind.WORD)) != null) {
        throw new UsageError("-p " + name + " is given twice");
      }
    }
    return params;
  }

  /**
   * The secret parameters on the command line, which every user of this host can read: those of the intent that it
   * names, or of the intents with the closest names.
   */
  static List<String> secretsOnLine(RunRequest request, Catalogue catalogue) {
    String named = request.intent();
    List<String> meant = catalogue.find(named).isPresent() ? List.of(named) : catalogue.closest(named);
    return onLine(request).filter(name -> meant.stream().anyMatch(intent -> catalogue
        .find(intent).flatMap(it -> it.param(name)).filter(Parameter::secret).isPresent())).toList();
  }

  /** The names of the parameters on the command line, in alphabetical order; a file has no words. */
  private static Stream<String> onLine(RunRequest request) {
    return request.params().entrySet().stream().filter(param -> param.getValue().kind() == Given.Kind.WORD)
        .map(Map.Entry::getKey).sorted();
  }

  /** Warns of secrets on the command line, which others can read. */
  public static void warnOfSecret(String name, Console console) {
    console.words("tower: warning: secret " + name
        + " was given with -p, so every user of this host can see it with `ps`; use --params-file");
  }

  /** How long the caller is willing to wait. */
  public static Duration patience(Arguments arguments) {
    if (!arguments.has("wait")) {
      return Duration.ZERO;
    }
    Duration limit = arguments.duration("wait").orElse(DEFAULT_WAIT);
    if (limit.compareTo(Wait.MAX_LIMIT) > 0) {
      throw new UsageError("--wait " + TimeSpans.format(limit) + " is more than 1h");
    }
    return limit;
  }

  private static Map<String, Given> fromFile(String file) {
    Map<String, Given> params = new LinkedHashMap<>();
    try {
      JsonObject json = JsonReader.readObject(bytes(file));
      json.members().forEach((name, value) -> params.put(name, given(json, value)));
    } catch (JsonException e) {
      throw new UsageError("--params-file " + file + " is not a JSON object: " + e.getMessage());
    } catch (IOException e) {
      throw new UsageError("--params-file " + file + " cannot be read: " + e.getMessage());
    }
    return params;
  }

  private static byte[] bytes(String file) throws IOException {
    try (InputStream in = file.equals(STDIN) ? System.in : new FileInputStream(file)) {
      byte[] bytes = in.readNBytes(MAX_FILE + 1);
      if (bytes.length > MAX_FILE) {
        throw new IOException("it has more than 4 MiB");
      }
      return bytes;
    }
  }

  private static Given given(JsonObject json, JsonValue value) {
    return switch (value) {
      case JsonValue.Text text -> new Given(text.value(), Given.Kind.STRING);
      case JsonValue.Numeral numeral -> new Given(numeral.literal(), Given.Kind.NUMBER);
      case JsonValue.Bool bool -> new Given(Boolean.toString(bool.value()), Given.Kind.BOOLEAN);
      case JsonObject _,JsonValue.Items _,JsonValue.Null _ -> new Given(json.raw(value), Given.Kind.OTHER);
    };
  }
}
