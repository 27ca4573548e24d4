package fleet.tower.service.mcp.tool;

import java.util.List;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.json.JsonWriter;

/** What a call of a tool answers. */
public sealed interface ToolResult {

  /**
   * The call is over.
   *
   * @param content content blocks as JSON
   * @param structured the structured content as JSON, valid by the tool's output schema; null for none
   */
  record Complete(boolean isError, List<String> content, @Nullable String structured) implements ToolResult {
    public Complete {
      content = List.copyOf(content);
    }

    /** A result with structured content, and a sentence for clients and models that read text. */
    public static Complete of(boolean isError, String sentence, JsonWriter structured) {
      return new Complete(isError, List.of(text(sentence)), structured.end());
    }

    private static String text(String text) {
      return JsonWriter.line().put("type", "text").put("text", text).end();
    }
  }

  /**
   * The call continues as a task.
   *
   * @param task the members of the task
   */
  record Begun(JsonWriter task) implements ToolResult {}
}
