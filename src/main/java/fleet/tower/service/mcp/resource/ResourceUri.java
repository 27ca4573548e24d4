package fleet.tower.service.mcp.resource;

import java.util.Optional;

import org.jspecify.annotations.Nullable;

import fleet.tower.audit.AuditTrail;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.list.Page;
import fleet.tower.service.mcp.wire.ProtocolError;

/** The address of a resource of the tower, with valid names in it; the resource need not exist. */
public sealed interface ResourceUri {
  String SCHEME = "tower://";

  /** The page for agents. */
  record Prime() implements ResourceUri {}

  /** An intent. */
  record OfIntent(String name) implements ResourceUri {}

  /** A run. */
  record OfRun(RequestId id) implements ResourceUri {}

  /**
   * The output of a run.
   *
   * @param step the step whose output is read; null for all
   *
   * @param offset the number of bytes before the part that is read
   */
  record OfLog(RequestId id, @Nullable String step, long offset) implements ResourceUri {}

  /** A lock. */
  record OfLock(LeaseName name) implements ResourceUri {}

  /**
   * The newest events of the audit log.
   *
   * @param isLocal whether only events of this host are read
   */
  record Audit(AuditTrail.Query query, Page page, boolean isLocal) implements ResourceUri {}

  /** The hosts. */
  record Hosts() implements ResourceUri {}

  /**
   * Parses an address.
   *
   * @return empty if it has another scheme
   *
   * @throws ProtocolError if it has this scheme and is invalid
   */
  static Optional<ResourceUri> parse(String uri) {
    if (!uri.startsWith(SCHEME)) {
      return Optional.empty();
    }
    try {
      return Optional.of(UriParts.of(uri.substring(SCHEME.length())).resource());
    } catch (InvalidValue e) {
      throw invalid(uri, e.problem());
    }
  }

  /** The error for an address that names nothing. */
  static ProtocolError invalid(String uri, String problem) {
    return new ProtocolError(ProtocolError.INVALID_PARAMS, problem,
        JsonWriter.line().put("uri",
            uri.length() <= UriParts.MAX_LENGTH ? uri : uri.substring(0, UriParts.MAX_LENGTH)));
  }
}
