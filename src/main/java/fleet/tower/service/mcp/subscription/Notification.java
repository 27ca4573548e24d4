package fleet.tower.service.mcp.subscription;

import fleet.tower.platform.json.JsonWriter;

/** A notification without the id of its subscription. Of several about the same subject, only the last is sent. */
record Notification(String method, String subject, JsonWriter params) {

  /** A list has changed. */
  static Notification listChanged(String list) {
    return new Notification("notifications/" + list + "/list_changed", list, JsonWriter.line());
  }

  /** A resource has changed. */
  static Notification updated(String uri) {
    return new Notification("notifications/resources/updated", uri, JsonWriter.line().put("uri", uri));
  }
}
