package fleet.tower.service.web.http;

import java.util.function.BooleanSupplier;

import jakarta.servlet.http.HttpServletRequest;

/** The client of a long call; used only by the thread of the call. */
public final class Client {
  private final BooleanSupplier connected;

  /** @param connected whether the connection is open */
  public Client(BooleanSupplier connected) {
    this.connected = connected;
  }

  /** The client of a call whose body has been read. */
  public static Client of(HttpServletRequest request) {
    if (request.getAttribute(Client.class.getName()) instanceof Client client) {
      return client;
    }
    throw new IllegalStateException(request.getRequestURI() + " was reached past the valve that knows its client");
  }

  /** Whether the connection is open as far as known; a cut network is not noticed. */
  public boolean isThere() {
    return connected.getAsBoolean();
  }
}
