package fleet.tower.remote;

import java.time.Duration;
import java.util.Map;
import java.util.StringJoiner;

import fleet.tower.operation.Arg;
import fleet.tower.operation.Given;
import fleet.tower.operation.Operation;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonWriter;

/** An operation as a call to a service. Arguments that HTTP does not take are left out. */
public record RemoteOperation(Operation operation, Given given) {

  /** The data of the answer, for which the service may take this long. */
  public JsonObject send(Server server, Duration patience) {
    String path = path();
    JsonObject json = (switch (operation.method()) {
      case GET -> server.get(path + query(), Map.of(), patience);
      case DELETE -> server.delete(path + query());
      case POST -> server.post(path, body(), Map.of(), patience);
      case PUT -> server.put(path, body());
    }).json();
    return operation.isEnveloped() ? json.object("data").orElse(json) : json;
  }

  /** The path of the call, without its query. */
  public String path() {
    String path = operation.path();
    for (Arg<?> arg : operation.inPath()) {
      path = path.replaceFirst("\\{\\w+}", Server.part(text(arg)));
    }
    return path;
  }

  private String query() {
    StringJoiner query = new StringJoiner("&", "?", "").setEmptyValue("");
    operation.besidesPath().stream().filter(given::has)
        .forEach(arg -> query.add(arg.name() + "=" + Server.part(text(arg))));
    return query.toString();
  }

  private JsonWriter body() {
    JsonWriter body = JsonWriter.line();
    operation.besidesPath().stream().filter(given::has).forEach(arg -> body.raw(arg.name(), json(arg)));
    return body;
  }

  private <T> String text(Arg<T> arg) {
    return arg.kind().text(given.get(arg));
  }

  private <T> String json(Arg<T> arg) {
    return arg.kind().json(given.get(arg));
  }
}
