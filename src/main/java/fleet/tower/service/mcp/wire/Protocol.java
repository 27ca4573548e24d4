package fleet.tower.service.mcp.wire;

import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.Forbidden;
import fleet.tower.answer.CommonProblems;
import fleet.tower.answer.Problem;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonValue;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.text.Nearest;

/**
 * The Model Context Protocol of a server with some features, in both revisions, over any transport. A transport
 * {@link #read reads} each message, and {@link #answer answers} a call with an {@link Exchange} of its own.
 */
public final class Protocol {
  /** The method that begins a legacy connection. */
  static final String HANDSHAKE = "initialize";
  private static final String SERVER_INFO = "io.modelcontextprotocol/serverInfo";
  private static final long CACHE_MILLIS = 60_000;
  /** The length of the longest name that is compared with the known ones. */
  private static final int MAX_NAME = 100;

  private final Implementation server;
  private final String instructions;
  private final Map<Revision, JsonWriter> capabilities = new EnumMap<>(Revision.class);
  private final Map<Revision, Map<String, Feature.Method>> methods = new EnumMap<>(Revision.class);

  /** @param instructions how to use the server, for models */
  public Protocol(Implementation server, String instructions, List<Feature> features) {
    this.server = server;
    this.instructions = instructions;
    for (Revision revision : Revision.values()) {
      capabilities.put(revision, JsonWriter.line());
      methods.put(revision, new LinkedHashMap<>(revision.isModern()
          ? Map.of("server/discover", _ -> discovery())
          : Map.of(HANDSHAKE, this::handshake, "ping", _ -> JsonWriter.line())));
      features.forEach(feature -> add(feature, revision));
    }
  }

  private void add(Feature feature, Revision revision) {
    capabilitiesOf(revision).members(feature.capabilities(revision));
    feature.methods(revision).forEach((name, method) -> {
      if (methodsOf(revision).putIfAbsent(name, method) != null) {
        throw new IllegalStateException("two features have the method " + name);
      }
    });
  }

  private JsonWriter capabilitiesOf(Revision revision) {
    return capabilities.getOrDefault(revision, JsonWriter.line());
  }

  private Map<String, Feature.Method> methodsOf(Revision revision) {
    return methods.getOrDefault(revision, Map.of());
  }

  /** Reads a message of a transport without headers. */
  public McpMessage read(byte[] utf8) {
    return read(utf8, null);
  }

  /**
   * Reads a message.
   *
   * @param headers the headers that came with it; null if the transport has none
   */
  public McpMessage read(byte[] utf8, @Nullable Headers headers) {
    Envelope envelope;
    try {
      envelope = Envelope.read(utf8);
    } catch (ProtocolError e) {
      return new McpMessage.Invalid(McpReply.malformed(null, e));
    }
    try {
      return message(envelope, headers);
    } catch (ProtocolError e) {
      return new McpMessage.Invalid(McpReply.malformed(envelope.id(), e));
    }
  }

  private McpMessage message(Envelope envelope, @Nullable Headers headers) {
    String name = envelope.method();
    if (name == null) {
      return new McpMessage.Response(Negotiation.of(headers));
    }
    JsonObject params = envelope.params();
    String id = envelope.id();
    if (id == null) {
      return new McpMessage.Notification(name, params);
    }
    Revision revision = Negotiation.of(name, params, headers);
    Feature.Method method = methodsOf(revision).get(name);
    return method == null
        ? new McpMessage.Invalid(McpReply.unknownMethod(id, revision, unknown(name, revision)))
        : new McpMessage.Call(new Request(revision, id, name, params), method);
  }

  private ProtocolError unknown(String name, Revision revision) {
    List<String> known = name.length() > MAX_NAME ? List.of() : List.copyOf(methodsOf(revision).keySet());
    return new ProtocolError(ProtocolError.METHOD_NOT_FOUND, "there is no method " + InvalidValue.shown(name)
        + Nearest.of(name, known).map(it -> "; did you mean '" + it + "'?").orElse(""));
  }

  /** Performs a call, and returns its result or error. */
  public McpReply answer(McpMessage.Call call, Exchange exchange) {
    Request request = call.request();
    try {
      return McpReply.result(request.id(), result(request.revision(), call.method().call(exchange)));
    } catch (ProtocolError e) {
      if (e.forbidden() != null) {
        exchange.refused(e.forbidden());
      }
      return McpReply.error(request.id(), e);
    } catch (RuntimeException e) {
      if (e instanceof Forbidden forbidden) {
        exchange.refused(forbidden);
      }
      return McpReply.error(request.id(),
          Failure.of(CommonProblems.ofFailure(e).orElseGet(() -> internal(request, e))));
    }
  }

  private static Problem internal(Request request, RuntimeException failure) {
    // Finding the logger costs the start of a process as much as a handshake.
    System.getLogger(Protocol.class.getName())
        .log(System.Logger.Level.ERROR, "MCP " + request.method() + " failed", failure);
    return CommonProblems.internal();
  }

  private JsonWriter result(Revision revision, JsonWriter members) {
    if (!revision.isModern()) {
      return members;
    }
    JsonWriter result = JsonWriter.line();
    if (!members.has("resultType")) {
      result.put("resultType", "complete");
    }
    result.members(members);
    return members.has("_meta")
        ? result
        : result.put("_meta", JsonWriter.line().put(SERVER_INFO, server.json()));
  }

  private JsonWriter discovery() {
    return JsonWriter.line().raw("supportedVersions", Negotiation.supported())
        .put("capabilities", capabilitiesOf(Revision.V2026_07_28)).put("instructions", instructions)
        .put("ttlMs", CACHE_MILLIS).put("cacheScope", "private");
  }

  /** Answers with the one legacy revision; a client that does not support it disconnects. */
  private JsonWriter handshake(Exchange exchange) {
    if (!(exchange.request().params().get("protocolVersion") instanceof JsonValue.Text)) {
      throw ProtocolError.invalidParams("'protocolVersion' must be a string");
    }
    return JsonWriter.line().put("protocolVersion", Revision.V2025_11_25.toString())
        .put("capabilities", capabilitiesOf(Revision.V2025_11_25)).put("serverInfo", server.json())
        .put("instructions", instructions);
  }

  /** A notification of the server. */
  public static SentMessage notification(String method, JsonWriter params) {
    return new SentMessage(
        JsonWriter.line().put("jsonrpc", "2.0").put("method", method).put("params", params).end());
  }
}
