package fleet.tower.service.web.call;

import java.io.IOException;

import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;
import org.apache.coyote.ActionCode;

import jakarta.servlet.ServletException;

/** Lets a call that waits look whether its client is still connected, which the servlets' own interface has no word for. */
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
   * Reads without waiting. Behind the body of a call nothing comes before its answer, but the end of the connection; or the next
   * call of a client that does not wait for answers, which counts as one that is gone, and is answered with nothing.
   */
  private static boolean isConnected(org.apache.coyote.Request request) {
    request.action(ActionCode.AVAILABLE, true);
    return request.getAvailable() <= 0;
  }
}
