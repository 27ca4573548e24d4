package fleet.tower.service.mcp.http;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/** The headers that let a browser give the answers to an allowed web page (CORS); never with cookies. */
final class CrossOrigin {
  private static final String METHODS = "GET, POST";
  private static final String HEADERS = "Authorization, Content-Type, Accept, MCP-Protocol-Version, Mcp-Method, Mcp-Name";
  private static final String EXPOSED = "WWW-Authenticate, Retry-After";
  private static final String MAX_AGE_SECONDS = "600";

  private CrossOrigin() {}

  /** Adds the headers for the page of a request, if it comes from one; true if that answers it completely. */
  static boolean answer(HttpServletRequest request, HttpServletResponse response) {
    String origin = request.getHeader("Origin");
    if (origin == null) {
      return false;
    }
    response.setHeader("Access-Control-Allow-Origin", origin);
    response.setHeader("Vary", "Origin");
    response.setHeader("Access-Control-Expose-Headers", EXPOSED);
    boolean isPreflight = request.getMethod().equals("OPTIONS")
        && request.getHeader("Access-Control-Request-Method") != null;
    if (isPreflight) {
      response.setHeader("Access-Control-Allow-Methods", METHODS);
      response.setHeader("Access-Control-Allow-Headers", HEADERS);
      response.setHeader("Access-Control-Max-Age", MAX_AGE_SECONDS);
      response.setStatus(HttpServletResponse.SC_NO_CONTENT);
    }
    return isPreflight;
  }
}
