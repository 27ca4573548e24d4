package fleet.tower.service.mcp.stdio;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import fleet.tower.answer.RefusedCommand;
import fleet.tower.answer.UsageError;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonValue;
import fleet.tower.platform.time.Cancellation;
import fleet.tower.remote.Events;
import fleet.tower.remote.Server;
import fleet.tower.remote.StreamedCall;
import fleet.tower.service.mcp.wire.ProtocolError;
import fleet.tower.service.mcp.wire.SentMessage;

/** A service as the peer: each request is a call of its own, and a cancelled request's connection is closed. */
final class RelayPeer implements Peer {
  private static final String PATH = "/mcp";
  private static final int BAD_REQUEST = 400;

  private final Supplier<Server> service;
  /** The revision that the service chose in the handshake; null without one. */
  private volatile @Nullable String revision;

  /** @param service the service with its current token */
  RelayPeer(Supplier<Server> service) {
    this.service = service;
  }

  @Override
  public Reaction read(byte[] utf8) {
    JsonObject message;
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(utf8)).toString();
      if (!(JsonReader.readValue(text) instanceof JsonObject object)) {
        return new Reject(JsonRpc.error(null, ProtocolError.INVALID_REQUEST, "a message must be an object"));
      }
      message = object;
    } catch (CharacterCodingException e) {
      return new Reject(JsonRpc.error(null, ProtocolError.PARSE_ERROR, "the message is not valid UTF-8"));
    } catch (JsonException e) {
      return new Reject(JsonRpc.error(null, ProtocolError.PARSE_ERROR, "the message is not JSON: " + e.getMessage()));
    }
    return read(message, utf8);
  }

  /** The service needs no notifications: closing the connection of a request cancels it. */
  private Reaction read(JsonObject message, byte[] utf8) {
    JsonValue id = message.get("id");
    Optional<String> method = message.text("method");
    if (id == null) {
      return method.filter("notifications/cancelled"::equals).flatMap(_ -> message.object("params"))
          .<Reaction>flatMap(params -> Optional.ofNullable(params.get("requestId")).map(params::raw).map(Cancel::new))
          .orElseGet(Ignore::new);
    }
    if (method.isEmpty() && (message.get("result") != null || message.get("error") != null)) {
      return new Ignore();
    }
    return new Begin(message.raw(id),
        (notifications, cancellation) -> relayed(new RelayedRequest(message, utf8), notifications, cancellation));
  }

  private SentMessage relayed(RelayedRequest request, Notifications notifications, Cancellation cancellation) {
    try (StreamedCall call = service.get().streamed(PATH, request.headers(revision));
        var _ = cancellation.on(call::close)) {
      return answer(request, call, notifications);
    } catch (RefusedCommand refusal) {
      return request.refused(refusal);
    } catch (UsageError e) {
      return request.failed(ErrorCode.USAGE, e.problem());
    } catch (IOException e) {
      return request.lost(cancellation.isCancelled());
    }
  }

  private SentMessage answer(RelayedRequest request, StreamedCall call, Notifications notifications)
      throws IOException {
    call.send(request.body());
    if (call.isEvents()) {
      return streamed(request, call, notifications);
    }
    byte[] body = call.body().readAllBytes();
    try {
      JsonObject answer = JsonReader.readObject(body);
      if (answer.text("jsonrpc").isPresent()) {
        return request.identified(handshake(request, answer));
      }
    } catch (JsonException e) {
      if (call.status() < BAD_REQUEST) {
        throw new IOException("an incomplete answer", e);
      }
    }
    throw call.refusal(body);
  }

  private SentMessage streamed(RelayedRequest request, StreamedCall call, Notifications notifications)
      throws IOException {
    try (Events events = new Events(call.body())) {
      for (Events.Event event = events.next(); event != null; event = events.next()) {
        JsonObject message = JsonReader.readObject(event.data());
        if (message.get("method") == null) {
          return new SentMessage(handshake(request, message).raw());
        }
        notifications.send(new SentMessage(message.raw()));
      }
    } catch (JsonException e) {
      throw new IOException("an incomplete event", e);
    }
    throw new IOException("the stream ended without an answer");
  }

  private JsonObject handshake(RelayedRequest request, JsonObject answer) {
    if (request.isHandshake()) {
      answer.object("result").flatMap(result -> result.text("protocolVersion")).ifPresent(chosen -> revision = chosen);
    }
    return answer;
  }

  /** Runs belong to the service, and continue. */
  @Override
  public void interrupt() {
    // The waits end with the connections.
  }

  @Override
  public void close() {
    // Each connection ends with its request.
  }
}
