package fleet.tower.lock.queue.file;

import java.time.Instant;
import java.util.Optional;

import fleet.tower.lease.RequestId;
import fleet.tower.lock.queue.WaitQueue.WaitingRequest;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.time.Timestamps;

/** The content of a ticket: the request id on a line, then a JSON object. */
final class TicketText {
  static final int MAX_BYTES = 64 * 1024;

  private TicketText() {}

  static String write(WaitingRequest request) {
    JsonWriter json = JsonWriter.line().put("actor", request.actor()).put("intent", request.intent());
    return request.requestId() + "\n" + (request.since() == null ? json : json.put("since", request.since())).end()
        + "\n";
  }

  /**
   * Parses a ticket; empty if it has no request id, as while it is being written.
   *
   * @param written when the file was written, which is when its waiter joined unless the ticket says otherwise
   */
  static Optional<WaitingRequest> read(String text, Instant written) {
    int end = text.indexOf('\n');
    return end < 1 || !RequestId.isValid(text.substring(0, end))
        ? Optional.empty()
        : Optional.of(read(new RequestId(text.substring(0, end)), text.substring(end + 1), written));
  }

  private static WaitingRequest read(RequestId id, String details, Instant written) {
    try {
      JsonObject json = JsonReader.readObject(details.strip());
      return new WaitingRequest(id, json.text("actor").orElse(null), json.text("intent").orElse(null),
          json.text("since").flatMap(Timestamps::parse).orElse(written));
    } catch (JsonException incomplete) {
      return new WaitingRequest(id, null, null, written);
    }
  }
}
