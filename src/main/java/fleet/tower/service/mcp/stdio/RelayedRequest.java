package fleet.tower.service.mcp.stdio;

import static java.util.Objects.requireNonNull;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import fleet.tower.answer.RefusedCommand;
import fleet.tower.operation.LockOperations;
import fleet.tower.operation.RunOperations;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.service.mcp.wire.ProtocolError;
import fleet.tower.service.mcp.wire.SentMessage;

/** A request that is sent to a service: its headers repeat members of its body, and every failure is an answer. */
record RelayedRequest(JsonObject message, byte[] body) {
  private static final String VERSION = "io.modelcontextprotocol/protocolVersion";
  private static final String ENCODED = "=?base64?";
  private static final String HANDSHAKE = "initialize";
  private static final String CALL = "tools/call";
  /** The members of the arguments that identify a call, so that it can be repeated. */
  private static final List<String> IDENTITIES = List.of("tower_request_id", "request_id");

  boolean isHandshake() {
    return method().equals(HANDSHAKE);
  }

  private String method() {
    return message.text("method").orElse("");
  }

  private Optional<JsonObject> params() {
    return message.object("params");
  }

  private String id() {
    return message.raw(requireNonNull(message.get("id")));
  }

  /** @param negotiated the revision of an earlier handshake; null without one */
  Map<String, String> headers(@Nullable String negotiated) {
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("Accept", "application/json, text/event-stream");
    Optional<String> version = params().flatMap(params -> params.object("_meta")).flatMap(meta -> meta.text(VERSION));
    if (version.isEmpty()) {
      if (negotiated != null && !isHandshake()) {
        headers.put("MCP-Protocol-Version", negotiated);
      }
      return headers;
    }
    headers.put("MCP-Protocol-Version", encoded(version.get()));
    headers.put("Mcp-Method", encoded(method()));
    name().ifPresent(name -> headers.put("Mcp-Name", encoded(name)));
    return headers;
  }

  private Optional<String> name() {
    return switch (method()) {
      case CALL, "prompts/get" -> params().flatMap(params -> params.text("name"));
      case "resources/read" -> params().flatMap(params -> params.text("uri"));
      case "tasks/get", "tasks/update", "tasks/cancel" -> params().flatMap(params -> params.text("taskId"));
      default -> Optional.empty();
    };
  }

  /** A value that is not plain ASCII, or looks encoded, is sent as Base64 of its UTF-8 between two markers. */
  static String encoded(String value) {
    boolean isPlain = value.chars().allMatch(c -> c >= ' ' && c <= '~') && value.equals(value.strip())
        && !value.startsWith(ENCODED);
    return isPlain
        ? value
        : ENCODED + Base64.getEncoder().encodeToString(value.getBytes(StandardCharsets.UTF_8)) + "?=";
  }

  /** An answer of the service, with the id of the request if the service could not read it. */
  SentMessage identified(JsonObject answer) {
    return new SentMessage(answer.get("id") == null && answer.get("error") != null
        ? JsonWriter.line().put("jsonrpc", "2.0").raw("id", id())
            .raw("error", answer.raw(requireNonNull(answer.get("error")))).end()
        : answer.raw());
  }

  /** The service refused the call, or cannot be reached, so that nothing was sent. */
  SentMessage refused(RefusedCommand refusal) {
    ErrorCode code = refusal.code();
    JsonWriter data = JsonWriter.line().put("error", code == null ? refusal.getMessage() : code.code())
        .put("retryable", refusal.isPassing());
    return JsonRpc.error(id(), ProtocolError.INTERNAL_ERROR, refusal.reply().message(), data);
  }

  SentMessage failed(ErrorCode code, String problem) {
    return JsonRpc.error(id(), ProtocolError.INTERNAL_ERROR, problem, JsonWriter.line().put("error", code.code()));
  }

  /** The connection was lost after the request was sent. */
  SentMessage lost(boolean isCancelled) {
    JsonWriter data = JsonWriter.line().put("error", ErrorCode.SERVER_UNAVAILABLE.code()).put("retryable", true);
    String problem = isCancelled
        ? "the wait for the service has ended"
        : "the connection to the service was lost before the answer";
    if (!method().equals(CALL)) {
      return JsonRpc.error(id(), ProtocolError.INTERNAL_ERROR, problem + "; send the request again", data);
    }
    Optional<JsonObject> arguments = params().flatMap(params -> params.object("arguments"));
    for (String name : IDENTITIES) {
      Optional<String> identity = arguments.flatMap(given -> given.text(name));
      if (identity.isPresent()) {
        return JsonRpc.error(id(), ProtocolError.INTERNAL_ERROR, problem
            + ". Work that has started continues. Send the same call with the same " + name
            + " again: it has no further effect",
            data.put(name, identity.get()));
      }
    }
    return JsonRpc.error(id(), ProtocolError.INTERNAL_ERROR,
        problem + ". Work that has started continues, and the call had no "
            + IDENTITIES.getFirst() + ": see " + RunOperations.LIST.toolName() + " and "
            + LockOperations.LIST.toolName()
            + " before you repeat it",
        data);
  }
}
