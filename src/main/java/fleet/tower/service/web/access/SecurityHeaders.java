package fleet.tower.service.web.access;

import java.io.IOException;

import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;

import jakarta.servlet.ServletException;

/**
 * Security headers of every answer, including those to requests that reach no handler: no sniffing, no caching, no
 * framing, no active content. A controller may override them.
 */
final class SecurityHeaders extends ValveBase {
  private static final String TWO_YEARS = "max-age=63072000";

  SecurityHeaders() {
    super(true);
  }

  @Override
  public void invoke(Request request, Response response) throws IOException, ServletException {
    response.setHeader("X-Content-Type-Options", "nosniff");
    response.setHeader("Cache-Control", "no-store");
    response.setHeader("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
    response.setHeader("Referrer-Policy", "no-referrer");
    response.setHeader("Cross-Origin-Resource-Policy", "same-origin");
    if (request.isSecure()) {
      response.setHeader("Strict-Transport-Security", TWO_YEARS);
    }
    getNext().invoke(request, response);
  }
}
