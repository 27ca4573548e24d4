package fleet.tower.service.mcp.tool;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

import fleet.tower.answer.NextAction;
import fleet.tower.answer.Problem;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.service.mcp.wire.SentMessage;

/** Refusals as results of tools: the members of HTTP, and the same in words for clients that read text only. */
public final class ToolRefusals {
  private static final String RETRY_AFTER = "retry_after_seconds";

  private ToolRefusals() {}

  /** The refusal of a call. */
  public static ToolResult.Complete of(Problem problem, RefusedToolCall refused) {
    return of(problem, refused, List.of());
  }

  /** The refusal of invalid arguments, with a call that has the arguments that were probably meant. */
  static ToolResult.Complete of(InvalidArguments invalid, String tool, RefusedToolCall refused) {
    List<InvalidArguments.Mistake> mistakes = invalid.mistakes();
    Problem problem = Problem.of(ErrorCode.INVALID_PARAMS, mistakes.stream()
        .map(mistake -> mistake.pointer().substring(1) + " " + mistake.message()).collect(Collectors.joining("; ")),
        JsonWriter.line().list("errors", mistakes.stream().map(mistake -> JsonWriter.line()
            .put("pointer", mistake.pointer()).put("message", mistake.message()).end()).toList())
            .put("suggestion", "correct the arguments and call again"))
        .next(List.of());
    String nearest = invalid.nearest();
    return of(problem, refused, nearest == null
        ? List.of(refused.listing())
        : List.of(
            NextAction.tool(tool, nearest, "call it with the nearest valid arguments, if they are meant")));
  }

  private static ToolResult.Complete of(Problem problem, RefusedToolCall refused, List<NextAction> first) {
    JsonWriter members = problem.members(refused);
    JsonObject all = JsonReader.readOwn(members.end());
    String detail = ToolMembers.withoutPaths(problem.detail(), all);
    JsonWriter structured = JsonWriter.line().put("outcome", "refused").put("detail", detail)
        .members(ToolMembers.of(members));
    if (!structured.has(RETRY_AFTER)) {
      retryAfter(problem.headers()).ifPresent(seconds -> structured.raw(RETRY_AFTER, seconds));
    }
    if (!first.isEmpty()) {
      structured.list("next_actions", first.stream().map(NextAction::json).toList());
    }
    JsonObject written = JsonReader.readOwn(structured.end());
    return ToolResult.Complete.of(true, text(detail, written), structured);
  }

  /** What the first of the next actions does; empty if there is none. */
  private static String why(JsonObject refusal) {
    return refusal.objects("next_actions").stream().findFirst().flatMap(action -> action.text("why")).orElse("");
  }

  private static Optional<String> retryAfter(Map<String, String> headers) {
    return Optional.ofNullable(headers.get("Retry-After")).filter(seconds -> seconds.matches("\\d{1,9}"));
  }

  private static String text(String detail, JsonObject refusal) {
    StringBuilder text = new StringBuilder("Refused (").append(refusal.text("error").orElse("")).append("): ")
        .append(detail).append('.');
    refusal.text("suggestion").filter(suggestion -> !suggestion.isEmpty() && !suggestion.equals(why(refusal)))
        .ifPresent(suggestion -> text.append(" Suggestion: ").append(suggestion).append('.'));
    refusal.objects("next_actions").forEach(action -> text.append("\nNext: ")
        .append(action.text("why").orElse("")).append(action.object("arguments")
            .map(arguments -> ": " + action.text("tool").orElse("") + " " + new SentMessage(arguments.raw()).json())
            .orElse("")));
    return text.toString();
  }
}
