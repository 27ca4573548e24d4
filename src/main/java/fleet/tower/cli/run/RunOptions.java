package fleet.tower.cli.run;

import static fleet.tower.cli.shell.Option.flag;
import static fleet.tower.cli.shell.Option.repeated;
import static fleet.tower.cli.shell.Option.value;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import fleet.tower.access.Role;
import fleet.tower.answer.Reply;
import fleet.tower.answer.UsageError;
import fleet.tower.cli.shell.Arguments;
import fleet.tower.cli.shell.Command;
import fleet.tower.cli.shell.Option;
import fleet.tower.intent.Catalogue;
import fleet.tower.intent.Values;
import fleet.tower.lease.Actor;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.AcquireRequest.Metadata;
import fleet.tower.lock.queue.Wait;
import fleet.tower.operation.CommonArgs;
import fleet.tower.operation.Given;
import fleet.tower.operation.RunOperations;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonValue;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.process.ProcessUser;
import fleet.tower.platform.text.Console;
import fleet.tower.platform.time.TimeSpans;
import fleet.tower.run.Run;
import fleet.tower.run.execute.LockTerms;
import fleet.tower.run.submit.PlanHash;
import fleet.tower.run.submit.RunRequest;

/** The options of commands that run an intent. */
public final class RunOptions {
  private static final Duration DEFAULT_WAIT = Duration.ofMinutes(10);
  private static final int MAX_FILE = 4 << 20;
  private static final String STDIN = "-";

  public static final Option ACTOR = value("actor", "A", "the actor (default: TOWER_ACTOR, else the OS user)");
  static final Option REQUIRE_LOCK = flag("require-lock", "refuse a mutating intent that declares no lock");
  static final Option AGAIN = flag("again",
      "INTENT is the id of a run that has ended: run its intent again, with its recorded parameters and those given here");
  static final Option DETACH = flag("detach",
      "start the run in the service, or queue it for one, and print its request id without waiting");

  public static final List<Option> PARAMS = List.of(
      repeated("p", "param", "K=V", "a parameter; K= gives an empty string"),
      value("params-file", "F",
          "parameters as one JSON object in a file, or - for stdin; use it for secrets, because `ps` shows -p"));
  private RunOptions() {}

  /** The command of an operation, whose parameters are typed by the intent, and may also be in a file. */
  public static Command withParams(Command command) {
    List<Option> options = new ArrayList<>(PARAMS);
    command.options().stream().filter(option -> !option.name().equals(RunOperations.PARAMS.option()))
        .forEach(options::add);
    return new Command(command.name(), command.operands(), command.summary(), options, command.action()).with(ACTOR);
  }

  /** The request that a command line makes. */
  static RunRequest request(Given given, Arguments arguments, Actor actor) {
    JsonObject metadata = given.orNull(RunOperations.METADATA);
    Metadata _ = Metadata.of(metadata, null);
    given.find(CommonArgs.REASON).ifPresent(reason -> InvalidValue.requirePlainLines(CommonArgs.REASON.name(), reason));
    return new RunRequest(given.get(RunOperations.INTENT), params(arguments),
        given.find(CommonArgs.REQUEST_ID).map(RequestId::new).orElse(null), null,
        new Run.Origin(actor, metadata == null ? "{}" : metadata.raw(), null,
            arguments.has(AGAIN.name()) ? new RequestId(given.get(RunOperations.INTENT)) : null),
        new LockTerms(given.get(RunOperations.FORCE) || arguments.has("force"),
            Duration.ofSeconds(given.get(RunOperations.WAIT))),
        null, given.orNull(CommonArgs.REASON))
        .of(Role.OPERATOR, ProcessUser.name())
        .requiring(given.find(RunOperations.PLAN_HASH).map(PlanHash::parse).orElse(null));
  }

  /** The refusal by {@code --require-lock} of a mutating intent that declares no lock. */
  public static Reply noLock(String intent, String mode) {
    return Reply.failure(ErrorCode.LOCK_REQUIRED,
        "intent " + intent + " has mode " + mode + " and declares no lock; nothing was started",
        "add controls.lock to it, or omit --require-lock",
        JsonWriter.line().put("intent", intent).put("mode", mode));
  }

  /** The parameters; those on the command line take precedence over the file. */
  public static Map<String, Values.Given> params(Arguments arguments) {
    Map<String, Values.Given> params = new LinkedHashMap<>();
    arguments.value("params-file").ifPresent(file -> params.putAll(fromFile(file)));
    params.putAll(fromLine(arguments));
    return params;
  }

  private static Map<String, Values.Given> fromLine(Arguments arguments) {
    Map<String, Values.Given> params = new LinkedHashMap<>();
    for (String pair : arguments.values("param")) {
      int equals = pair.indexOf('=');
      if (equals < 1) {
        throw new UsageError("-p '" + pair + "' is not NAME=VALUE");
      }
      String name = pair.substring(0, equals);
      if (params.put(name, new Values.Given(pair.substring(equals + 1), Values.Given.Kind.WORD)) != null) {
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
    return onLine(request).filter(catalogue.secrets(request.intent())::contains).toList();
  }

  /** The names of the parameters on the command line, in alphabetical order; a file has no words. */
  private static Stream<String> onLine(RunRequest request) {
    return request.params().entrySet().stream().filter(param -> param.getValue().kind() == Values.Given.Kind.WORD)
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

  private static Map<String, Values.Given> fromFile(String file) {
    Map<String, Values.Given> params = new LinkedHashMap<>();
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

  private static Values.Given given(JsonObject json, JsonValue value) {
    return switch (value) {
      case JsonValue.Text text -> new Values.Given(text.value(), Values.Given.Kind.STRING);
      case JsonValue.Numeral numeral -> new Values.Given(numeral.literal(), Values.Given.Kind.NUMBER);
      case JsonValue.Bool bool -> new Values.Given(Boolean.toString(bool.value()), Values.Given.Kind.BOOLEAN);
      case JsonObject _,JsonValue.Items _,JsonValue.Null _ ->
        new Values.Given(json.raw(value), Values.Given.Kind.OTHER);
    };
  }
}
