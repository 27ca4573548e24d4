package fleet.tower.service.web.call;

import java.util.function.BooleanSupplier;

import jakarta.servlet.http.HttpServletRequest;

/** The other end of a call that takes long; to be asked by the thread of the call alone. */
public final class Client {
  private final BooleanSupplier connected;

  Client(BooleanSupplier connected) {
    this.connected = connected;
  }

  /** Who makes a call, when its body has been read. */
  public static Client of(HttpServletRequest request) {
    if (request.getAttribute(Client.class.getName()) instanceof Client client) {
      return client;
    }
    throw new IllegalStateException(request.getRequestURI() + " was reached past the valve that knows its client");
  }

  /** Whether it can still be answered, as far as is known here: a cut network is not seen. */
  public boolean isThere() {
    return connected.getAsBoolean();
  }
}
