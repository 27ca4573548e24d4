package fleet.tower.cli.remote;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

import fleet.tower.operation.Ask;
import fleet.tower.operation.CommonArgs;
import fleet.tower.operation.Given;
import fleet.tower.operation.Operation;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.list.Rows;
import fleet.tower.remote.Server;

/**
 * A list of a service, read page by page: a page may end early, because its rows are large.
 *
 * @param member the member of the rows in the answers
 */
record RemotePages(String member, Rows<JsonObject> rows) {

  /** Reads rows up to the limit of the request, or until the list ends. */
  static RemotePages read(Server server, Operation operation, Given given) {
    return read(operation, given, page -> server.send(new Ask(operation, page), Duration.ZERO));
  }

  /** @param source requests a page */
  static RemotePages read(Operation operation, Given given, Function<Given, JsonObject> source) {
    long limit = operation.arg(CommonArgs.LIMIT.name()).flatMap(given::find).map(Long.class::cast)
        .orElse(Long.MAX_VALUE);
    List<JsonObject> rows = new ArrayList<>();
    Given wanted = given;
    for (;;) {
      JsonObject answer = source.apply(wanted);
      String member = answer.members().keySet().iterator().next();
      Rows<JsonObject> page = Rows.read(answer, member, row -> row);
      rows.addAll(page.rows());
      String next = page.next();
      if (next == null || rows.size() >= limit) {
        return new RemotePages(member, new Rows<>(rows, page.isTruncated(), next));
      }
      wanted = given.with(CommonArgs.CURSOR, next);
      if (limit < Long.MAX_VALUE) {
        wanted = wanted.with(CommonArgs.LIMIT, limit - rows.size());
      }
    }
  }

  /** All in one answer. */
  String json() {
    return rows.jsonOf(member, JsonObject::raw).end();
  }
}
