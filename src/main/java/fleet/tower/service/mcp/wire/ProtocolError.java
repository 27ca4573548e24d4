package fleet.tower.service.mcp.wire;

import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.Forbidden;
import fleet.tower.platform.json.JsonWriter;

/** A request that is answered with a JSON-RPC error. */
public final class ProtocolError extends RuntimeException {
  private static final long serialVersionUID = 1;
  public static final int INVALID_REQUEST = -32600;
  public static final int METHOD_NOT_FOUND = -32601;
  public static final int INVALID_PARAMS = -32602;
  public static final int INTERNAL_ERROR = -32603;
  public static final int PARSE_ERROR = -32700;
  /** A header differs from the body, or is missing. */
  public static final int HEADER_MISMATCH = -32020;
  /** The request needs a capability that the client did not declare. */
  public static final int MISSING_CAPABILITY = -32021;
  public static final int UNSUPPORTED_VERSION = -32022;

  private final int code;
  private final transient @Nullable JsonWriter data;
  private final @Nullable Forbidden forbidden;

  public ProtocolError(int code, String message) {
    this(code, message, null);
  }

  public ProtocolError(int code, String message, @Nullable JsonWriter data) {
    this(code, message, data, null);
  }

  private ProtocolError(int code, String message, @Nullable JsonWriter data, @Nullable Forbidden forbidden) {
    super(message, forbidden, false, false);
    this.code = code;
    this.data = data;
    this.forbidden = forbidden;
  }

  /** The same error, given because the caller may not do what it requests, which is audited. */
  public ProtocolError because(Forbidden refusal) {
    return new ProtocolError(code, requireNonNull(getMessage()), data, refusal);
  }

  /** The params of a request are invalid. */
  public static ProtocolError invalidParams(String message) {
    return new ProtocolError(INVALID_PARAMS, message);
  }

  public int code() {
    return code;
  }

  /** What the caller may not do; null if the error has another reason. */
  public @Nullable Forbidden forbidden() {
    return forbidden;
  }

  /** Members for programs; null for none. */
  public @Nullable JsonWriter data() {
    return data;
  }
}
