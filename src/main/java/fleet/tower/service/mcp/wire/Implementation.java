package fleet.tower.service.mcp.wire;

import fleet.tower.platform.json.JsonWriter;

/** The name and version of the server, for display and logs. */
public record Implementation(String name, String title, String version) {

  JsonWriter json() {
    return JsonWriter.line().put("name", name).put("title", title).put("version", version);
  }
}
