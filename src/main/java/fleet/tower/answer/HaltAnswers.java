package fleet.tower.answer;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

import fleet.tower.lock.Halt;
import fleet.tower.lock.HaltSource;
import fleet.tower.lock.HaltStore.LiftOutcome;
import fleet.tower.lock.HaltStore.PlaceOutcome;
import fleet.tower.lock.Halts;
import fleet.tower.operation.HaltCallOutcome;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.text.VisibleText;

/** What came of requests about halts, as answers. */
public final class HaltAnswers {
  private HaltAnswers() {}

  /** The answer to a request. */
  static Answer of(HaltCallOutcome outcome) {
    return switch (outcome) {
      case HaltCallOutcome.AllHalts(var halts) -> Answer.ok(halts(halts));
      case HaltCallOutcome.Placed(PlaceOutcome.Placed(Halt halt, Halt replaced)) -> replaced == null
          ? Answer.created(halt(halt))
          : Answer.ok(halt(halt));
      case HaltCallOutcome.Placed(PlaceOutcome.Kept(Halt halt)) -> Answer.ok(halt(halt));
      case HaltCallOutcome.Lifted(String name, LiftOutcome.Lifted(Halt halt, Instant _)) -> Answer.ok(JsonWriter.line()
          .put("name", name).put("lifted", true).put("previous_halt", halt == null ? null : halt(halt)));
      case HaltCallOutcome.Lifted(String name, LiftOutcome.Absent()) -> absent(name);
    };
  }

  private static Problem absent(String name) {
    return Problem.of(ErrorCode.HALT_NOT_FOUND, "there is no halt " + VisibleText.quoted(name)
        + (name.equals(Halts.FILE) ? " to lift; remove the file " + Halts.FILE + " of the home" : ""),
        JsonWriter.line().put("name", name).put("suggestion", "list the halts"));
  }

  /** The halts in force. */
  public static JsonWriter halts(HaltSource.InForce halts) {
    return JsonWriter.line().list("halts", Stream.concat(halts.halts().stream().map(it -> halt(it).end()),
        halts.unreadable().stream().map(it -> unreadable(it).end())).toList());
  }

  /** A halt that cannot be read. */
  public static JsonWriter unreadable(HaltSource.Unreadable halt) {
    return JsonWriter.line().put("name", halt.name()).put("path", halt.path()).put("problem", halt.problem());
  }

  /** A halt. */
  public static JsonWriter halt(Halt halt) {
    Halt.Scope scope = halt.scope();
    JsonWriter json = JsonWriter.line().put("name", halt.name()).list("actors", quoted(scope.actors()))
        .list("intents", quoted(scope.intents())).list("locks", quoted(scope.locks())).put("all", scope.all())
        .put("level", halt.level().toString()).put("reason", halt.reason()).put("request_id", halt.requestId().value())
        .put("actor", halt.actor());
    if (halt.onBehalfOf() != null) {
      json.put("on_behalf_of", halt.onBehalfOf());
    }
    json.put("created_at", halt.createdAt());
    Duration ttl = halt.ttl();
    Instant end = halt.expiresAt();
    return ttl == null || end == null ? json : json.put("ttl_seconds", ttl.toSeconds()).put("expires_at", end);
  }

  private static List<String> quoted(List<String> patterns) {
    return patterns.stream().map(JsonWriter::quote).toList();
  }
}
