package fleet.tower.operation;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;

import fleet.tower.platform.json.JsonWriter;

/** An operation with its arguments, as the doors write it: a call, the arguments of a tool. */
public record Ask(Operation operation, Given given) {

  /** The path of the call with its query. */
  public String href() {
    StringJoiner query = new StringJoiner("&", "?", "").setEmptyValue("");
    if (!operation.method().hasBody()) {
      operation.besidesPath().stream().filter(given::has)
          .forEach(arg -> query.add(arg.name() + "=" + part(text(arg))));
    }
    return path() + query;
  }

  /** The path of the call, without its query. */
  public String path() {
    String path = operation.path();
    for (Arg<?> arg : operation.inPath()) {
      path = path.replaceFirst("\\{\\w+}", part(text(arg)));
    }
    return path;
  }

  /** The headers of the call. */
  public Map<String, String> headers() {
    Map<String, String> headers = new LinkedHashMap<>();
    operation.at(Arg.Via.HEADER).filter(given::has).filter(arg -> !text(arg).isEmpty())
        .forEach(arg -> headers.put(arg.name(), text(arg)));
    return headers;
  }

  /** The body of a call that has one. */
  public JsonWriter body() {
    return members(operation.besidesPath());
  }

  /** The arguments of the tool. */
  public JsonWriter arguments() {
    JsonWriter json = members(operation.at(Arg.Via.TOOL).toList());
    Operation.Tool tool = operation.tool();
    return tool == null || tool.action() == null ? json : json.put("action", tool.action());
  }

  private JsonWriter members(List<Arg<?>> args) {
    JsonWriter json = JsonWriter.line();
    given.forEach((arg, _) -> {
      if (args.contains(arg)) {
        json.raw(arg.name(), json(arg));
      }
    });
    return json;
  }

  /** The same request with a value for an argument, if the operation has that. */
  public <T> Ask with(Arg<T> arg, T value) {
    return operation.args().contains(arg) ? new Ask(operation, given.with(arg, value)) : this;
  }

  /** The plan of a request for a run. */
  public Ask planned() {
    Given kept = Given.NOTHING.with(RunOperations.INTENT, given.get(RunOperations.INTENT));
    if (given.has(RunOperations.PARAMS)) {
      kept = kept.with(RunOperations.PARAMS, given.get(RunOperations.PARAMS));
    }
    return new Ask(RunOperations.PLAN, given.has(RunOperations.FORCE)
        ? kept.with(RunOperations.FORCE, given.get(RunOperations.FORCE))
        : kept);
  }

  /** The same request without an argument. */
  public Ask without(Arg<?> arg) {
    return new Ask(operation, given.without(arg));
  }

  private <T> String text(Arg<T> arg) {
    return arg.kind().text(given.get(arg));
  }

  private <T> String json(Arg<T> arg) {
    return arg.kind().json(given.get(arg));
  }

  private static String part(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
