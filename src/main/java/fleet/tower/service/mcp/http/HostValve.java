package fleet.tower.service.mcp.http;

import java.io.IOException;
import java.util.Collections;
import java.util.Set;
import java.util.function.Supplier;

import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;
import org.jspecify.annotations.Nullable;

import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.service.mcp.wire.McpReply;
import fleet.tower.service.mcp.wire.ProtocolError;
import fleet.tower.service.web.access.DeniedAccess;
import fleet.tower.service.web.http.Challenge;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/**
 * Refuses calls of the endpoint from web pages and under host names that are not allowed, before their tokens are
 * checked. It compares decoded paths, so that no other spelling gets past.
 */
final class HostValve extends ValveBase {
  private static final Set<String> PATHS = Set.of(McpController.PATH, MetadataController.PATH,
      MetadataController.PATH + McpController.PATH);
  private static final String CHECKED = HostValve.class.getName();

  private final Addresses addresses;
  private final Supplier<DeniedAccess> denied;

  /** @param denied audits refusals; exists when the first call arrives */
  HostValve(Addresses addresses, Supplier<DeniedAccess> denied) {
    super(true);
    this.addresses = addresses;
    this.denied = denied;
  }

  /** Throws unless a call has passed the checks. */
  static void requireChecked(HttpServletRequest request) {
    if (request.getAttribute(CHECKED) == null) {
      throw new IllegalStateException(request.getRequestURI() + " was reached past the check of its host");
    }
  }

  @Override
  public void invoke(Request request, Response response) throws IOException, ServletException {
    if (PATHS.contains(request.getDecodedRequestURI())) {
      String host = hostOf(request);
      Refusal refusal = refusal(request, host);
      if (refusal != null) {
        denied.get().audit(request, null, refusal.reason(), 0);
        refuse(refusal.problem(), response);
        return;
      }
      if (CrossOrigin.answer(request, response)) {
        return;
      }
      request.setAttribute(CHECKED, true);
      Challenge.publish(request, Addresses.metadata(addresses.resource(request.isSecure(), host)));
    }
    getNext().invoke(request, response);
  }

  /** The host with its port, as the client sent it. */
  static String hostOf(HttpServletRequest request) {
    String host = request.getHeader("Host");
    return host == null ? request.getServerName() + ":" + request.getServerPort() : host;
  }

  /**
   * Why a call is refused.
   *
   * @param reason for the audit log
   */
  private record Refusal(String reason, String problem) {}

  private @Nullable Refusal refusal(Request request, String host) {
    if (!addresses.isOwn(request.getServerName(), host)) {
      return new Refusal("host_not_allowed", "this service is not called " + InvalidValue.shown(host)
          + "; tower.mcp.allowed-hosts can allow that name");
    }
    return Collections.list(request.getHeaders("Origin")).stream().filter(it -> !addresses.isAllowed(it, host))
        .findFirst().map(origin -> new Refusal("origin_not_allowed", "web pages of " + InvalidValue.shown(origin)
            + " may not call this service; tower.mcp.allowed-origins can allow them"))
        .orElse(null);
  }

  private static void refuse(String problem, Response response) throws IOException {
    McpController
        .write(McpReply.refusal(HttpServletResponse.SC_FORBIDDEN, new ProtocolError(ProtocolError.INVALID_REQUEST,
            problem, JsonWriter.line().put("error", ErrorCode.FORBIDDEN.code()))), response);
  }
}
