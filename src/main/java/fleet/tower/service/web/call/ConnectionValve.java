package fleet.tower.service.web.call;

import java.io.IOException;

import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;
import org.apache.coyote.ActionCode;

import fleet.tower.service.web.http.Client;
import jakarta.servlet.ServletException;

/** Lets a waiting call check whether its client is connected, which the servlet API does not offer. */
final class ConnectionValve extends ValveBase {

  ConnectionValve() {
    super(true);
  }

  @Override
  public void invoke(Request request, Response response) throws IOException, ServletException {
    request.setAttribute(Client.class.getName(), new Client(() -> isConnected(request.getCoyoteRequest())));
    getNext().invoke(request, response);
  }

  /**
   * Reads without blocking. After the body of a call, only the end of the connection can arrive before the answer, or
   * the next call of a pipelining client, which is treated as disconnected.
   */
  private static boolean isConnected(org.apache.coyote.Request request) {
    request.action(ActionCode.AVAILABLE, true);
    return request.getAvailable() <= 0;
  }
}
