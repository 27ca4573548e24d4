package fleet.tower.service.mcp.prompt;

import java.util.List;
import java.util.Map;

import fleet.tower.access.Caller;
import fleet.tower.platform.json.JsonWriter;

/** A prompt, which a person chooses for a model. */
public interface Prompt {
  String name();

  /** Its members in {@code prompts/list} without the name and the arguments. */
  JsonWriter definition();

  List<Argument> arguments();

  /** Whether it is useful to a caller; other callers do not see it. */
  boolean isFor(Caller caller);

  /**
   * Its messages as JSON.
   *
   * @param arguments values of known arguments, all required ones included
   *
   * @throws fleet.tower.platform.InvalidValue if a value is invalid
   * @throws fleet.tower.access.Forbidden if the caller may not do what it would request
   */
  List<String> messages(Map<String, String> arguments, Caller caller);

  /** An argument. */
  record Argument(String name, String description, boolean required) {
    JsonWriter json() {
      return JsonWriter.line().put("name", name).put("description", description).put("required", required);
    }
  }
}
