package fleet.tower.service.web.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Await;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.service.config.TestService;
import fleet.tower.service.config.TestService.Answer;

@DisplayName("A service at its limit of connections")
class ManyConnectionsTest {
  private final List<Socket> sockets = new ArrayList<>();
  private final Scheduler scheduler = SystemTime.scheduler();

  @AfterEach
  void close() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
  }

  private Socket connect(TestService service) throws IOException {
    Socket socket = new Socket();
    sockets.add(socket);
    socket.connect(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), URI.create(service.url()).getPort()),
        (int) Await.LIMIT.toMillis());
    socket.setSoTimeout((int) Await.LIMIT.toMillis());
    return socket;
  }

  private static void send(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    socket.getOutputStream().flush();
  }

  private static String get(String path, String... headers) {
    return "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n" + String.join("", headers) + "\r\n";
  }

  /** The status line of an answer; its body is read as well. */
  private static String answer(Socket socket) throws IOException {
    InputStream in = socket.getInputStream();
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int next = in.read();
      if (next < 0) {
        return "";
      }
      head.append((char) next);
    }
    String text = head.toString();
    if (text.contains("Content-Length: ")) {
      in.readNBytes(Integer.parseInt(text.replaceAll("(?s).*Content-Length: (\\d+).*", "$1")));
    } else {
      while (head.indexOf("0\r\n\r\n", text.length()) < 0) {
        head.append((char) in.read());
      }
    }
    return text.substring(0, text.indexOf('\r'));
  }

  @Test
  @DisplayName("Idle connections without a token block neither health, callers nor waiters")
  @ProofsProfile
  void idle(@TempDir Path home) throws IOException {
    try (TestService service = new TestService(home, "--server.tomcat.max-connections=200",
        "--tower.calls.token-timeout=30s")) {
      assertThat(service.post("/locks/busy", "{\"request_id\":\"req_holder1\",\"ttl_seconds\":3600}").status())
          .isEqualTo(201);
      CompletableFuture<Answer> waiting = service.later("/locks/busy",
          "{\"request_id\":\"req_waiter1\",\"wait_seconds\":3600}");
      Await.until("there is a waiter", () -> service.get("/locks/busy").body().contains("req_waiter1")
          || service.get("/locks/busy").body().contains("\"waiters\":1") || waiting.isDone());
      for (int i = 0; i < 600; i++) {
        connect(service);
        if (i % 100 == 99) {
          Answer live = service.sendFrom("127.0.0.1", service.request("/actuator/health/liveness").build());
          assertThat(live.status()).isEqualTo(200);
          assertThat(service.post("/locks/busy/heartbeat", "{\"request_id\":\"req_holder1\"}").status()).isEqualTo(200);
        }
      }
      assertThat(waiting).isNotDone();
      service.call("DELETE", "/locks/busy?request_id=req_holder1", "");
      assertThat(waiting.join().status()).isEqualTo(201);
    }
  }

  @Test
  @DisplayName("Slow headers and connections without a token are closed at the deadline; with a token one stays open")
  @ProofsProfile
  void deadline(@TempDir Path home) throws IOException {
    try (TestService service = new TestService(home, "--tower.calls.token-timeout=8s")) {
      Socket known = connect(service);
      send(known, get("/locks", "Authorization: Bearer " + service.token() + "\r\n"));
      assertThat(answer(known)).isEqualTo("HTTP/1.1 200 ");
      Socket probe = connect(service);
      send(probe, get("/actuator/health/liveness"));
      assertThat(answer(probe)).isEqualTo("HTTP/1.1 200 ");
      Socket silent = connect(service);

      assertThat(drip(connect(service))).isTrue();
      assertThat(probe.getInputStream().read()).isEqualTo(-1);
      assertThat(silent.getInputStream().read()).isEqualTo(-1);
      send(known, get("/locks", "Authorization: Bearer " + service.token() + "\r\n"));
      assertThat(answer(known)).isEqualTo("HTTP/1.1 200 ");
    }
  }

  /** Sends headers byte by byte; returns whether the connection is closed, with an answer or without. */
  private boolean drip(Socket socket) throws IOException {
    socket.setSoTimeout(50);
    send(socket, "GET /locks HTTP/1.1\r\nX-Long: ");
    for (int i = 0; i < 1200; i++) {
      try {
        send(socket, "x");
        if (socket.getInputStream().read() < 0) {
          return true;
        }
      } catch (java.net.SocketTimeoutException goesOn) {
        scheduler.pause(Duration.ofMillis(1));
      } catch (SocketException cut) {
        return true;
      }
    }
    return false;
  }

  @Test
  @DisplayName("A thousand calls that connect while no connection is free are all answered")
  @ProofsProfile
  void backlog(@TempDir Path home) throws IOException {
    int callers = 1000;
    try (TestService service = new TestService(home, "--server.tomcat.max-connections=3")) {
      List<Socket> busy = new ArrayList<>();
      String wait = "{\"wait_time_seconds\":600}";
      for (int i = 0; i < 3; i++) {
        Socket socket = connect(service);
        send(socket, "POST /mailboxes/box/receive HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
            + service.token() + "\r\nContent-Type: application/json\r\nContent-Length: " + wait.length() + "\r\n\r\n"
            + wait);
        busy.add(socket);
      }
      Connections connections = service.parts(Connections.class).values().iterator().next();
      Await.until("all connections wait", () -> connections.size() == 3);
      List<Socket> calls = new ArrayList<>();
      for (int i = 0; i < callers; i++) {
        Socket socket = connect(service);
        send(socket, get("/actuator/health/liveness", "Connection: close\r\n"));
        calls.add(socket);
      }
      for (Socket socket : busy) {
        socket.close();
      }
      for (Socket socket : calls) {
        assertThat(answer(socket)).isEqualTo("HTTP/1.1 200 ");
      }
    }
  }
}
