package fleet.tower.service.web.connection;

import static java.util.Objects.requireNonNull;

import java.nio.channels.SocketChannel;

import org.apache.coyote.http11.Http11NioProtocol;
import org.apache.tomcat.util.net.AbstractEndpoint.Handler;
import org.apache.tomcat.util.net.NioChannel;
import org.apache.tomcat.util.net.NioEndpoint;
import org.apache.tomcat.util.net.SocketEvent;
import org.apache.tomcat.util.net.SocketWrapperBase;
import org.jspecify.annotations.Nullable;

/**
 * Tomcat's HTTP/1.1 connector, which reports its connections to {@link Connections}. Tomcat creates it by class name.
 */
public final class ConnectionsProtocol extends Http11NioProtocol {
  private final Endpoint endpoint;

  /** Created before its listener is known: see {@link #reportTo}. */
  public ConnectionsProtocol() {
    this(new Endpoint());
  }

  private ConnectionsProtocol(Endpoint endpoint) {
    super(endpoint);
    this.endpoint = endpoint;
  }

  /** Sets the listener; called before the start. */
  void reportTo(Connections connections) {
    endpoint.reports = connections;
  }

  private static final class Endpoint extends NioEndpoint {
    private volatile @Nullable Connections reports;

    private Connections reports() {
      return requireNonNull(reports, "no listener for connections was set");
    }

    @Override
    protected boolean setSocketOptions(SocketChannel channel) {
      boolean isTaken = super.setSocketOptions(channel);
      SocketWrapperBase<NioChannel> socket = connections.get(channel);
      if (isTaken && socket != null) {
        reports().accepted(id(socket), channel, getMaxConnections(), socket::isClosed);
      }
      return isTaken;
    }

    @Override
    public void setHandler(Handler<NioChannel> handler) {
      super.setHandler(new Reporter(handler, this));
    }

    /** The id of the connection, as servlet requests report it. */
    static String id(SocketWrapperBase<NioChannel> socket) {
      return socket.getServletConnection("http/1.1", "").getConnectionId();
    }
  }

  private record Reporter(Handler<NioChannel> handler, Endpoint endpoint) implements Handler<NioChannel> {

    @Override
    public SocketState process(SocketWrapperBase<NioChannel> socket, SocketEvent event) {
      String id = Endpoint.id(socket);
      endpoint.reports().received(id, socket.getSocket().getIOChannel(), socket::isClosed);
      SocketState state = handler.process(socket, event);
      if (state == SocketState.OPEN || state == SocketState.LONG) {
        endpoint.reports().answered(id, state == SocketState.LONG);
      }
      return state;
    }

    @Override
    public @Nullable Object getGlobal() {
      return handler.getGlobal();
    }

    @Override
    public void release(SocketWrapperBase<NioChannel> socket) {
      endpoint.reports().closed(Endpoint.id(socket));
      handler.release(socket);
    }

    @Override
    public void pause() {
      handler.pause();
    }

    @Override
    public void recycle() {
      handler.recycle();
    }
  }
}
