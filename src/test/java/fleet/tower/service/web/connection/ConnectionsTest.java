package fleet.tower.service.web.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.platform.time.ManualTime;
import jakarta.servlet.ServletConnection;
import jakarta.servlet.http.HttpServletRequest;

@DisplayName("The lifetime of connections")
class ConnectionsTest {
  private static final Duration LIMIT = Duration.ofSeconds(10);
  private static final int MOST = 32;

  private final ManualTime time = new ManualTime();
  private final Connections connections = new Connections(time, time, LIMIT);
  private final List<SocketChannel> channels = new ArrayList<>();
  private final List<SocketChannel> clients = new ArrayList<>();
  private final ServerSocketChannel server;

  ConnectionsTest() throws IOException {
    server = ServerSocketChannel.open();
  }

  @BeforeEach
  void listen() throws IOException {
    server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
  }

  @AfterEach
  void close() throws IOException {
    connections.close();
    for (SocketChannel channel : channels) {
      channel.close();
    }
    for (SocketChannel client : clients) {
      client.close();
    }
    server.close();
  }

  /** Accepts a connection and returns its name. */
  private String accepted() throws IOException {
    clients.add(SocketChannel.open(server.getLocalAddress()));
    channels.add(server.accept());
    String id = Integer.toString(channels.size() - 1);
    connections.accepted(id, channel(id), MOST, () -> false);
    return id;
  }

  private SocketChannel channel(String id) {
    return channels.get(Integer.parseInt(id));
  }

  /** A request on a connection as the servlets report it. */
  private static HttpServletRequest on(String id) {
    ServletConnection connection = proxy(ServletConnection.class, id);
    return proxy(HttpServletRequest.class, connection);
  }

  private static <T> T proxy(Class<T> type, Object answer) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[]{type}, (_, _, _) -> answer));
  }

  private void answered(String id, boolean isValid) {
    connections.received(id, channel(id), () -> false);
    connections.called(on(id));
    connections.recognised(on(id), isValid);
    connections.answered(id, false);
  }

  private boolean isEnded(String id) throws IOException {
    channel(id).configureBlocking(false);
    return channel(id).read(ByteBuffer.allocate(1)) < 0;
  }

  @Test
  @DisplayName("Without a token an idle connection is closed at the limit; with a token it stays open")
  void idle() throws IOException {
    String silent = accepted();
    String refused = accepted();
    String known = accepted();
    time.advance(LIMIT.minusSeconds(3));
    answered(refused, false);
    answered(known, true);

    time.advance(Duration.ofSeconds(2));
    assertThat(isEnded(silent)).isFalse();
    time.advance(Duration.ofSeconds(1));
    assertThat(isEnded(silent)).isTrue();
    assertThat(isEnded(refused)).isFalse();
    time.advance(LIMIT);
    assertThat(isEnded(refused)).isTrue();
    time.advance(Duration.ofHours(1));
    assertThat(isEnded(known)).isFalse();
    assertThat(connections.size()).isEqualTo(1);
  }

  @Test
  @DisplayName("A connection that ended before its start was reported does not take up a place")
  void endedFirst() throws IOException {
    String call = accepted();
    for (int i = 0; i < MOST; i++) {
      connections.closed("quick-" + i);
      connections.accepted("quick-" + i, channel(call), MOST, () -> true);
      connections.received("quick-" + i, channel(call), () -> true);
    }

    assertThat(connections.size()).isEqualTo(1);
    assertThat(isEnded(call)).isFalse();
  }

  @Test
  @DisplayName("Headers that arrive byte by byte have one deadline, also after a call with a token")
  void headers() throws IOException {
    String fresh = accepted();
    String known = accepted();
    answered(known, true);
    time.advance(Duration.ofSeconds(5));
    for (int second = 0; second < 9; second++) {
      for (String id : List.of(fresh, known)) {
        connections.received(id, channel(id), () -> false);
        connections.answered(id, true);
      }
      time.advance(Duration.ofSeconds(1));
    }
    assertThat(isEnded(fresh)).isFalse();
    assertThat(isEnded(known)).isFalse();
    time.advance(Duration.ofSeconds(1));
    assertThat(isEnded(fresh)).isTrue();
    assertThat(isEnded(known)).isTrue();
  }

  @Test
  @DisplayName("The deadline of the next request's headers counts from the last answer, however long that took")
  void pipelined() throws IOException {
    String known = accepted();
    connections.received(known, channel(known), () -> false);
    connections.called(on(known));
    connections.recognised(on(known), true);
    time.advance(Duration.ofMinutes(30));
    connections.answered(known, true);
    time.advance(LIMIT.minusSeconds(1));
    assertThat(isEnded(known)).isFalse();
    time.advance(Duration.ofSeconds(1));
    assertThat(isEnded(known)).isTrue();
  }

  @Test
  @DisplayName("A connection with an invalidated token is treated like one without")
  void revoked() throws IOException {
    String known = accepted();
    answered(known, true);
    answered(known, false);
    time.advance(LIMIT);
    assertThat(isEnded(known)).isTrue();
  }

  @Test
  @DisplayName("The service does not wait for an unfinished body without a token")
  void body() throws IOException {
    String refused = accepted();
    connections.received(refused, channel(refused), () -> false);
    connections.called(on(refused));
    connections.recognised(on(refused), false);
    time.advance(LIMIT);
    assertThat(isEnded(refused)).isTrue();
  }

  @Test
  @DisplayName("Before connections run out, the oldest ones without a token are closed, but none with a token")
  void room() throws IOException {
    String known = accepted();
    answered(known, true);
    List<String> silent = new ArrayList<>();
    for (int i = 0; i < 27; i++) {
      silent.add(accepted());
      time.advance(Duration.ofMillis(10));
    }
    connections.received(silent.getFirst(), channel(silent.getFirst()), () -> false);
    assertThat(isEnded(silent.get(1))).isFalse();
    silent.add(accepted());

    assertThat(isEnded(silent.getFirst())).isFalse();
    assertThat(isEnded(silent.get(1))).isTrue();
    assertThat(isEnded(silent.get(2))).isTrue();
    assertThat(isEnded(silent.get(3))).isFalse();
    assertThat(isEnded(known)).isFalse();
    assertThat(connections.size()).isEqualTo(27);
  }

  @Test
  @DisplayName("A closed connection is forgotten")
  void forgotten() throws IOException {
    String one = accepted();
    String other = accepted();
    connections.closed(one);
    assertThat(connections.size()).isEqualTo(1);
    answered(other, true);
    channel(other).close();
    time.advance(Duration.ofSeconds(1));
    assertThat(connections.size()).isZero();
  }
}
