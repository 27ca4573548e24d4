package fleet.tower.answer;

import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.Role;
import fleet.tower.answer.LockEstimates.Estimate;
import fleet.tower.operation.HaltedCall;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.Exit;
import fleet.tower.platform.InvalidConfiguration;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.text.Console;

/** The answer of a command: one JSON object for programs; for people, data on stdout and messages on stderr. */
public final class Reply {
  /** The number of lines that are repeated on stderr if stdout cannot be written. */
  private static final int MOST_REPEATED = 10;

  private static final Set<ErrorCode> SUGGESTIVE = EnumSet.of(ErrorCode.INTENT_NOT_FOUND,
      ErrorCode.IDEMPOTENCY_MISMATCH, ErrorCode.MESSAGE_EXISTS, ErrorCode.RECEIPT_HANDLE_EXPIRED);

  private final Exit exit;
  private final @Nullable Failure failure;
  /** Null if nothing may be printed. */
  private final @Nullable Supplier<String> json;
  private final List<String> data = new ArrayList<>();
  private final List<String> words = new ArrayList<>();
  private final List<Remedy> remedies = new ArrayList<>();
  private @Nullable Estimate estimate;
  /** The actions as JSON. */
  private final List<String> actions = new ArrayList<>();
  private String firstAction = "";
  private boolean isGeneral;
  private boolean isSecret;
  private Role role = Role.OPERATOR;
  private @Nullable String actor;

  private Reply(Exit exit, @Nullable Failure failure, @Nullable Supplier<String> json) {
    this.exit = exit;
    this.failure = failure;
    this.json = json;
  }

  /** The end of a command that prints nothing more, not even JSON. */
  public static Reply silent(Exit exit) {
    return new Reply(exit, null, null);
  }

  /** A failure: a code for programs, a message for people, and what to do about it; empty for the first action. */
  private record Failure(String code, String message, String suggestion) {}

  /** An answer; its exit code may differ from 0, because some commands answer by exit code. */
  public static Reply of(Exit exit, JsonWriter json) {
    return new Reply(exit, null, json::end);
  }

  /** An answer whose JSON is written only on request. */
  public static Reply lazily(Exit exit, Supplier<JsonWriter> json) {
    return new Reply(exit, null, () -> json.get().end());
  }

  /** An answer whose data is already JSON. */
  public static Reply ofJson(Exit exit, String json) {
    return new Reply(exit, null, () -> json);
  }

  /** A failure. */
  public static Reply failure(Exit exit, String code, String message, String suggestion) {
    return failure(exit, code, message, suggestion, JsonWriter.line());
  }

  /** A failure with details for programs. */
  public static Reply failure(Exit exit, String code, String message, String suggestion, JsonWriter context) {
    return new Reply(exit, new Failure(code, message, suggestion), context::end);
  }

  /** A failure whose remedies follow from its code. */
  public static Reply failure(ErrorCode code, String message, String suggestion) {
    return failure(code, message, suggestion, JsonWriter.line());
  }

  /** The same with details for programs. */
  public static Reply failure(ErrorCode code, String message, String suggestion, JsonWriter context) {
    return failure(code.exit(), code.code(), message, suggestion, context).general(Remedies.of(code));
  }

  /** The answer to an exception of a command. */
  public static Reply of(RuntimeException failure) {
    return switch (failure) {
      case InvalidValue e -> failure(ErrorCode.of(e.kind()), e.problem(), "");
      case InvalidConfiguration e -> failure(ErrorCode.INVALID_CONFIG, e.problem(), "correct it, and try again");
      case StorageException e -> failure(e.code(), message(e), "see `tower doctor`");
      case RefusedCommand refused -> refused.reply();
      case HaltedCall e -> of(CommonProblems.barred("what you requested", e.why()));
      case UncheckedIOException e -> failure(ErrorCode.STORAGE_UNAVAILABLE, message(e), "see `tower doctor`");
      default -> failure(ErrorCode.INTERNAL_ERROR, message(failure), "this is a bug; please report it");
    };
  }

  private static String message(RuntimeException failure) {
    return failure.getMessage() == null ? failure.toString() : failure.getMessage();
  }

  /** A refusal or a failure; people read the first step that helps, or the suggestion if none is special. */
  public static Reply of(Problem problem) {
    JsonWriter members = JsonWriter.line().members(problem.members());
    JsonObject json = JsonReader.readOwn(members.end());
    ErrorCode code = Optional.ofNullable(problem.code()).or(() -> json.text("error").flatMap(ErrorCode::of))
        .orElse(ErrorCode.INTERNAL_ERROR);
    String suggestion = problem.isGeneral() || isSuggestive(code) ? json.text("suggestion").orElse("") : "";
    Reply reply = failure(exit(code, json), code.code(), summary(problem.detail(), json), suggestion, members)
        .errors(json);
    return problem.isGeneral() ? reply.general(problem.remedies()) : reply.next(problem.remedies());
  }

  /** Whether the suggestion of a code is better than the first of the remedies. */
  public static boolean isSuggestive(ErrorCode code) {
    return SUGGESTIVE.contains(code);
  }

  /** The exit code of a refusal: a claim that used to be the caller's is lost. */
  public static Exit exit(ErrorCode code, JsonObject members) {
    return code.exit().equals(Exit.NOT_OWNER) && members.text("reason").filter(TaskJson::isLoss).isPresent()
        ? Exit.LOST
        : code.exit();
  }

  /** Adds a line for each error of a refusal. */
  public Reply errors(JsonObject members) {
    members.objects("errors").forEach(error -> words("  " + located(error, Reply::nameOf)));
    return this;
  }

  /** The sentence of a refusal without the errors at its end, which a terminal shows as lines. */
  public static String summary(String detail, JsonObject members) {
    String errors = members.objects("errors").stream()
        .map(error -> located(error, UnaryOperator.identity()))
        .collect(Collectors.joining("; ", ": ", ""));
    return detail.endsWith(errors) ? detail.substring(0, detail.length() - errors.length()) : detail;
  }

  /** An error of a member, after the member; of a file, as it is. */
  private static String located(JsonObject error, UnaryOperator<String> place) {
    return error.text("pointer").map(pointer -> place.apply(pointer) + " ").orElse("")
        + error.text("message").orElse("");
  }

  private static String nameOf(String pointer) {
    return pointer.substring(pointer.lastIndexOf('/') + 1).replace("~1", "/").replace("~0", "~");
  }

  /** Whether it is a failure with a code. */
  public boolean isProblem(ErrorCode code) {
    return failure != null && failure.code().equals(code.code());
  }

  /** Adds a line of data. */
  public Reply data(String line) {
    data.add(line);
    return this;
  }

  /** Adds a line of prose. */
  public Reply words(String line) {
    words.add(line);
    return this;
  }

  /** Sets the remedies that help after a failure, or while a run lasts, best first; people read the first one. */
  public Reply next(List<Remedy> those) {
    isGeneral = false;
    actions.clear();
    firstAction = "";
    remedies.clear();
    remedies.addAll(those);
    return this;
  }

  /** Adds the place that the request would have, and when it makes sense to repeat it. */
  public Reply expecting(Estimate those) {
    estimate = those;
    return those.seconds().isPresent() ? this : words("  its holder takes longer than usual");
  }

  /** Sets remedies that programs read, unless there are better ones. */
  public Reply general(List<Remedy> those) {
    isGeneral = true;
    remedies.addAll(those);
    return this;
  }

  /** Sets the actions of a service's answer. */
  public Reply actions(List<String> those, String first) {
    actions.addAll(those);
    firstAction = first;
    return this;
  }

  /** States that the command line contains a secret, so that no action repeats it. */
  public Reply withoutRepeating() {
    isSecret = true;
    return this;
  }

  /** Limits the actions to what a role permits; on the files of a home everyone is an operator. */
  public Reply as(Role limit) {
    role = limit;
    return this;
  }

  /** States as whom the caller acts, for the actions that only an owner may take. */
  public Reply by(String caller) {
    actor = caller;
    return this;
  }

  /** Turns the remedies of a failure into actions for the request that was asked. */
  public Reply to(RefusedRequest refused) {
    if ((failure != null || !remedies.isEmpty()) && actions.isEmpty()) {
      List<NextAction> those = refused.actions(remedies);
      those.forEach(action -> actions.add(action.json()));
      firstAction = isGeneral || those.isEmpty() ? "" : those.getFirst().line();
    }
    return this;
  }

  /** Whether an action may repeat the command line; false if that contains a secret. */
  public boolean isRepeatable() {
    return !isSecret;
  }

  /** The role that limits the actions. */
  public Role role() {
    return role;
  }

  /** As whom the caller acts; null if that is not known. */
  public @Nullable String actor() {
    return actor;
  }

  /** The message of a failure; empty otherwise. */
  public String message() {
    return failure == null ? "" : failure.message();
  }

  public Exit exit() {
    return exit;
  }

  /** The same answer with another exit code. */
  public Reply ending(Exit other) {
    Reply reply = new Reply(other, failure, json);
    reply.data.addAll(data);
    reply.words.addAll(words);
    reply.remedies.addAll(remedies);
    reply.estimate = estimate;
    reply.actions.addAll(actions);
    reply.firstAction = firstAction;
    reply.isGeneral = isGeneral;
    reply.isSecret = isSecret;
    reply.role = role;
    reply.actor = actor;
    return reply;
  }

  /**
   * Prints the answer for programs or for people. If stdout cannot be written, as on a full disk, what was done is said
   * on stderr, and a success has an exit code of its own.
   */
  public Exit print(Console console, boolean asJson) {
    printAnswer(console, asJson);
    Optional<String> failure = console.writeFailure();
    if (failure.isEmpty()) {
      return exit;
    }
    console.words("tower: the answer could not be written to stdout: " + failure.get());
    if (asJson) {
      words.forEach(console::words);
    }
    if (!isSecret) {
      data.stream().limit(MOST_REPEATED).forEach(console::words);
    }
    return exit.equals(Exit.DONE) ? Exit.UNWRITTEN : exit;
  }

  private void printAnswer(Console console, boolean asJson) {
    if (asJson) {
      if (json != null) {
        console.json(envelope(json.get()));
      }
      return;
    }
    data.forEach(console::data);
    if (failure != null) {
      console.words("tower: " + failure.message());
      if (!suggestion(failure).isEmpty()) {
        console.words("  " + suggestion(failure));
      }
    }
    words.forEach(console::words);
  }

  private String suggestion(Failure failure) {
    return failure.suggestion().isEmpty() ? firstAction : failure.suggestion();
  }

  private String envelope(String members) {
    JsonWriter envelope = JsonWriter.line().put("schema_version", "v1").put("success", failure == null);
    if (failure == null) {
      return envelope.raw("data", actions.isEmpty() ? members : withActions(members)).end();
    }
    envelope.put("error", failure.message()).put("error_code", failure.code()).raw("error_context", context(members))
        .put("suggested_action", suggestion(failure));
    return (actions.isEmpty() ? envelope : envelope.list("next_actions", actions)).end();
  }

  /** The actions of a command replace those that a service may have sent. */
  private String withActions(String members) {
    JsonWriter json = JsonWriter.line();
    JsonObject data = JsonReader.readOwn(members);
    data.members().entrySet().stream().filter(member -> !member.getKey().equals("next_actions"))
        .forEach(member -> json.raw(member.getKey(), data.raw(member.getValue())));
    return json.list("next_actions", actions).end();
  }

  private String context(String members) {
    return estimate == null
        ? members
        : estimate.addTo(JsonWriter.line().members(JsonReader.readOwn(members))).end();
  }
}
