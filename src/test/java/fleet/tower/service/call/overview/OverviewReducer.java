package fleet.tower.service.call.overview;

import java.util.Map;
import java.util.TreeMap;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The reference reducer: the overview that a client gets by applying events to its state. */
public final class OverviewReducer {
  /** The rows by section and key. */
  private final Map<String, Map<String, JsonNode>> sections = new TreeMap<>();
  private String truncated = "";
  private String asOf = "";
  private String problem = "";

  /** Applies an event. */
  public synchronized void apply(String event, String data) {
    JsonNode json = JsonMapper.shared().readTree(data);
    asOf = json.get("as_of").asString();
    switch (event) {
      case "overview" -> {
        sections.clear();
        sections.putAll(sections(json));
        truncated = json.path("truncated").toString();
      }
      case "change" -> change(json);
      case "as_of" -> problem = "";
      case "problem" -> problem = json.get("problem").asString() + " " + json.get("sections");
      default -> throw new AssertionError("unknown event " + event);
    }
  }

  private void change(JsonNode json) {
    json.get("set").properties().forEach(section -> section.getValue().properties()
        .forEach(row -> rows(section.getKey()).put(row.getKey(), row.getValue())));
    json.get("removed").properties().forEach(section -> section.getValue()
        .forEach(key -> {
          if (rows(section.getKey()).remove(key.asString()) == null) {
            throw new AssertionError("removed a row that is not there: " + section.getKey() + " " + key);
          }
        }));
    if (json.has("truncated")) {
      truncated = json.get("truncated").isEmpty() ? "" : json.get("truncated").toString();
    }
  }

  private Map<String, JsonNode> rows(String section) {
    Map<String, JsonNode> rows = sections.get(section);
    if (rows == null) {
      throw new AssertionError("no section " + section);
    }
    return rows;
  }

  /** The sections of a snapshot. */
  public static Map<String, Map<String, JsonNode>> sections(JsonNode snapshot) {
    Map<String, Map<String, JsonNode>> sections = new TreeMap<>();
    snapshot.properties().stream().filter(member -> member.getValue().isObject()).forEach(member -> {
      Map<String, JsonNode> rows = new TreeMap<>();
      member.getValue().properties().forEach(row -> rows.put(row.getKey(), row.getValue()));
      sections.put(member.getKey(), rows);
    });
    return sections;
  }

  /** A copy of the present sections. */
  public synchronized Map<String, Map<String, JsonNode>> sections() {
    Map<String, Map<String, JsonNode>> copy = new TreeMap<>();
    sections.forEach((name, rows) -> copy.put(name, new TreeMap<>(rows)));
    return copy;
  }

  /** A row as JSON; empty if there is none. */
  public synchronized String row(String section, String key) {
    JsonNode row = sections.getOrDefault(section, Map.of()).get(key);
    return row == null ? "" : row.toString();
  }

  public synchronized String truncated() {
    return truncated;
  }

  public synchronized String asOf() {
    return asOf;
  }

  /** Why something cannot be read; empty if all can. */
  public synchronized String problem() {
    return problem;
  }
}
