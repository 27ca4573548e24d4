package fleet.tower.service.mcp.wire;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonValue;
import fleet.tower.platform.json.JsonWriter;

/**
 * The revision of a request. A request of the modern revision names it in its {@code _meta}. Headers that repeat its
 * body must agree with it in both revisions: a proxy that decides by the headers would otherwise decide about another
 * request.
 */
final class Negotiation {
  /** The member of {@code _meta} with the revision. */
  static final String VERSION = "io.modelcontextprotocol/protocolVersion";
  private static final String VERSION_HEADER = "MCP-Protocol-Version";
  private static final String METHOD_HEADER = "Mcp-Method";
  private static final String NAME_HEADER = "Mcp-Name";
  private static final String MODERN = Revision.V2026_07_28.toString();
  private static final String LEGACY = Revision.V2025_11_25.toString();
  /** The member that {@link #NAME_HEADER} repeats, by method. */
  private static final Map<String, String> NAMED_BY = Map.of("tools/call", "name", "prompts/get", "name",
      "resources/read", "uri", "tasks/get", "taskId", "tasks/update", "taskId", "tasks/cancel", "taskId");
  private static final String ENCODED = "=?base64?";
  private static final String END_OF_ENCODED = "?=";

  private final String method;
  private final JsonObject params;
  private final @Nullable Headers headers;

  private Negotiation(String method, JsonObject params, @Nullable Headers headers) {
    this.method = method;
    this.params = params;
    this.headers = headers;
  }

  /**
   * The revision of a request.
   *
   * @param headers null if the transport has none
   * @throws ProtocolError if the request is not valid in it
   */
  static Revision of(String method, JsonObject params, @Nullable Headers headers) {
    return new Negotiation(method, params, headers).revision();
  }

  /** The revision that the headers name; the older one if they name none. */
  static Revision of(@Nullable Headers headers) {
    return headers != null && headers.values(VERSION_HEADER).contains(MODERN)
        ? Revision.V2026_07_28
        : Revision.V2025_11_25;
  }

  private Revision revision() {
    JsonValue value = params.get("_meta");
    if (value != null && !(value instanceof JsonObject)) {
      throw ProtocolError.invalidParams("'_meta' must be an object");
    }
    JsonObject meta = value instanceof JsonObject object ? object : Envelope.NO_PARAMS;
    String named = version(meta);
    String header = header(VERSION_HEADER);
    boolean isModern = named == null
        ? MODERN.equals(header) || meta.get(Request.CAPABILITIES) != null
        : !named.equals(LEGACY);
    if (isModern) {
      requireModern(meta, named, header);
      return Revision.V2026_07_28;
    }
    requireLegacy(named, header);
    return Revision.V2025_11_25;
  }

  private static @Nullable String version(JsonObject meta) {
    JsonValue version = meta.get(VERSION);
    if (version == null) {
      return null;
    }
    if (version instanceof JsonValue.Text text) {
      return text.value();
    }
    throw ProtocolError.invalidParams("'" + VERSION + "' must be a string");
  }

  private void requireModern(JsonObject meta, @Nullable String named, @Nullable String header) {
    if (headers != null && header == null) {
      throw missing(VERSION_HEADER);
    }
    if (named == null) {
      throw ProtocolError.invalidParams("'_meta' must have '" + VERSION + "'");
    }
    if (header != null && !header.equals(named)) {
      throw mismatch(VERSION_HEADER, header, named);
    }
    if (!named.equals(MODERN)) {
      throw unsupported(named);
    }
    requireSameMethod(true);
    requireSameName(true);
    if (meta.object(Request.CAPABILITIES).isEmpty()) {
      throw ProtocolError.invalidParams("'_meta' must have '" + Request.CAPABILITIES + "', an object");
    }
  }

  /**
   * The handshake itself may come with the header of any revision that the client proposes. The headers that repeat the
   * body are optional in this revision.
   */
  private void requireLegacy(@Nullable String named, @Nullable String header) {
    if (header != null && !header.equals(LEGACY) && !method.equals(Protocol.HANDSHAKE)) {
      throw named == null ? unsupported(header) : mismatch(VERSION_HEADER, header, named);
    }
    requireSameMethod(false);
    requireSameName(false);
  }

  private void requireSameMethod(boolean isRequired) {
    String header = header(METHOD_HEADER);
    if (header == null) {
      requireNo(isRequired, METHOD_HEADER);
    } else if (!header.equals(method)) {
      throw mismatch(METHOD_HEADER, header, method);
    }
  }

  /** A transport without headers omits them all. */
  private void requireNo(boolean isRequired, String header) {
    if (isRequired && headers != null) {
      throw missing(header);
    }
  }

  private void requireSameName(boolean isRequired) {
    String member = NAMED_BY.get(method);
    if (member == null) {
      return;
    }
    String header = header(NAME_HEADER);
    Optional<String> name = params.text(member);
    if (header == null) {
      requireNo(isRequired && name.isPresent(), NAME_HEADER);
    } else if (!name.equals(Optional.of(decoded(header)))) {
      throw mismatch(NAME_HEADER, header, name.orElse(""));
    }
  }

  /** The only value of a header; null if it is missing. */
  private @Nullable String header(String name) {
    if (headers == null || headers.values(name).isEmpty()) {
      return null;
    }
    if (headers.values(name).size() > 1) {
      throw new ProtocolError(ProtocolError.HEADER_MISMATCH, "the header " + name + " is given more than once");
    }
    return headers.values(name).getFirst();
  }

  /** A value that is not plain ASCII is sent as Base64 of its UTF-8 between two markers. */
  private static String decoded(String header) {
    if (!header.chars().allMatch(c -> c == '\t' || (c >= ' ' && c <= '~'))) {
      throw invalid(header);
    }
    if (!header.startsWith(ENCODED) || !header.endsWith(END_OF_ENCODED)
        || header.length() < ENCODED.length() + END_OF_ENCODED.length()) {
      return header;
    }
    try {
      byte[] utf8 = Base64.getDecoder()
          .decode(header.substring(ENCODED.length(), header.length() - END_OF_ENCODED.length()));
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(utf8)).toString();
    } catch (IllegalArgumentException | CharacterCodingException e) {
      throw invalid(header);
    }
  }

  private static ProtocolError invalid(String header) {
    return new ProtocolError(ProtocolError.HEADER_MISMATCH, "the header " + NAME_HEADER + " is "
        + InvalidValue.shown(header) + ", which is neither plain ASCII nor Base64 of UTF-8");
  }

  private static ProtocolError missing(String header) {
    return new ProtocolError(ProtocolError.HEADER_MISMATCH, "the header " + header + " is missing");
  }

  private static ProtocolError mismatch(String name, String header, String body) {
    return new ProtocolError(ProtocolError.HEADER_MISMATCH, "the header " + name + " is " + InvalidValue.shown(header)
        + ", and the body has " + InvalidValue.shown(body));
  }

  private static ProtocolError unsupported(String version) {
    return new ProtocolError(ProtocolError.UNSUPPORTED_VERSION, "protocol version " + InvalidValue.shown(version)
        + " is not supported; use " + MODERN + " or " + LEGACY,
        JsonWriter.line().raw("supported", supported()).put("requested", version));
  }

  /** The supported revisions as JSON, newest first. */
  static String supported() {
    return Arrays.stream(Revision.values()).map(Revision::toString).sorted(Comparator.reverseOrder())
        .map(JsonWriter::quote).collect(Collectors.joining(",", "[", "]"));
  }
}
