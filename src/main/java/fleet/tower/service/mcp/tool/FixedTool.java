package fleet.tower.service.mcp.tool;

import java.util.List;
import java.util.OptionalLong;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.Caller;
import fleet.tower.access.Role;
import fleet.tower.answer.Answer;
import fleet.tower.answer.AnswerEnvelope;
import fleet.tower.answer.Problem;
import fleet.tower.answer.RefusedCall;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.service.mcp.wire.Exchange;
import fleet.tower.service.mcp.wire.SentMessage;

/**
 * A tool that every server has.
 *
 * @param needed the role that may call it
 */
public record FixedTool(Definition described, Role needed, Work work) implements Tool {
  /**
   * A tool that is a call of the service: its result has the members of HTTP's answer, without the envelope.
   *
   * @param sentence the result in words, from its members
   */
  public static FixedTool of(Definition described, Role needed, Call call, Function<JsonObject, String> sentence) {
    return new FixedTool(described, needed, (arguments, exchange) -> switch (call.call(arguments, exchange)) {
      case Problem problem -> throw new RefusedCall(problem);
      case Answer.Done done -> {
        JsonObject data = AnswerEnvelope.data(done);
        yield result(data, sentence.apply(data));
      }
      case Answer.Listing _ -> throw new IllegalStateException("a list has a tool of its own");
    });
  }

  /**
   * Its entry in the list of tools, which is short, because every conversation pays for it. Unknown arguments are
   * refused although the schema does not say so.
   *
   * @param input the properties of the arguments as JSON, without the braces
   *
   * @param required the arguments that are required
   *
   * @param effect its annotations
   */
  public record Definition(String name, String description, String input, List<String> required, Effect effect) {
    public Definition {
      required = List.copyOf(required);
    }
  }

  /** What a call changes. */
  public enum Effect {
    NOTHING("{\"readOnlyHint\":true}"),
    /** What it changes is its caller's own, or new. */
    OWN("{\"destructiveHint\":false}"),
    /** The same, and a call that is repeated with the same arguments changes nothing more. */
    OWN_ONCE("{\"destructiveHint\":false,\"idempotentHint\":true}"),
    /** It may delete something. */
    DELETION("{\"destructiveHint\":true}");

    private final String annotations;

    Effect(String annotations) {
      this.annotations = annotations;
    }
  }

  /** What the tool does; it may throw what calls of the service throw. */
  @FunctionalInterface
  public interface Work {
    ToolResult call(JsonObject arguments, Exchange exchange);
  }

  /** A call of the service; it may throw what these throw. */
  @FunctionalInterface
  public interface Call {
    Answer call(JsonObject arguments, Exchange exchange);
  }

  /** Those of several tools that a caller may use. */
  public static List<Tool> permitted(List<FixedTool> tools, Caller caller) {
    return tools.stream().filter(tool -> caller.role().covers(tool.needed)).<Tool>map(tool -> tool).toList();
  }

  /** The whole number of an argument; null if it is absent. */
  public static @Nullable Long integer(JsonObject arguments, String name) {
    OptionalLong integer = arguments.integer(name);
    return integer.isPresent() ? Long.valueOf(integer.getAsLong()) : null;
  }

  @Override
  public String name() {
    return described.name();
  }

  @Override
  public JsonWriter definition() {
    JsonWriter input = JsonWriter.line().put("type", "object").raw("properties", "{" + described.input() + "}");
    if (!described.required().isEmpty()) {
      input.list("required", described.required().stream().map(JsonWriter::quote).toList());
    }
    return JsonWriter.line().put("name", name()).put("description", described.description())
        .put("inputSchema", input).raw("outputSchema", IntentTool.OUTPUT)
        .raw("annotations", described.effect().annotations);
  }

  @Override
  public ToolResult call(JsonObject arguments, Exchange exchange) {
    exchange.caller().require(needed, "call " + name());
    return work.call(arguments, exchange);
  }

  /**
   * The text has the members, too, for clients that show no structured content to their model. They are filtered here,
   * because inside of a text their escapes are just characters.
   */
  public static ToolResult result(JsonObject members, String sentence) {
    JsonWriter structured = JsonWriter.line().put("outcome", "done");
    members.members().forEach((name, value) -> structured.raw(name, members.raw(value)));
    return ToolResult.Complete.of(false, PlainText.line(sentence) + "\n" + new SentMessage(members.raw()).json(),
        structured);
  }
}
