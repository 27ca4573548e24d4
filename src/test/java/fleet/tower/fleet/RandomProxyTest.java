package fleet.tower.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import com.sun.net.httpserver.HttpServer;

@DisplayName("The proxy of the fleet's tests")
class RandomProxyTest {
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final List<HttpServer> hosts = new ArrayList<>();
  private final CountDownLatch goOn = new CountDownLatch(1);
  private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private Supplier<String> host(String name) throws IOException {
    HttpServer host = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    host.setExecutor(threads);
    host.createContext("/echo", exchange -> {
      byte[] answer = (name + " " + new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8))
          .getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(200, answer.length);
      exchange.getResponseBody().write(answer);
      exchange.close();
    });
    host.createContext("/stream", exchange -> {
      exchange.sendResponseHeaders(200, 0);
      exchange.getResponseBody().write('a');
      exchange.getResponseBody().flush();
      awaitGoOn();
      exchange.getResponseBody().write('b');
      exchange.close();
    });
    host.start();
    hosts.add(host);
    return () -> "http://127.0.0.1:" + host.getAddress().getPort();
  }

  private void awaitGoOn() {
    try {
      goOn.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @AfterEach
  void stop() {
    goOn.countDown();
    hosts.forEach(host -> host.stop(0));
    client.shutdownNow();
    threads.shutdownNow();
  }

  private HttpResponse<String> call(RandomProxy proxy, String body) throws Exception {
    return client.send(HttpRequest.newBuilder(URI.create(proxy.url() + "/echo")).POST(BodyPublishers.ofString(body))
        .build(), BodyHandlers.ofString());
  }

  @Test
  @DisplayName("Picks a host for each request, also of one connection, and the same ones for the same seed")
  void picks() throws Exception {
    List<Supplier<String>> urls = List.of(host("a"), host("b"), host("c"));
    List<List<String>> answers = new ArrayList<>();
    for (int round = 0; round < 2; round++) {
      List<String> all = new ArrayList<>();
      try (RandomProxy proxy = new RandomProxy(0, 7, urls);
          Socket socket = new Socket(InetAddress.getLoopbackAddress(), URI.create(proxy.url()).getPort())) {
        for (int i = 0; i < 30; i++) {
          socket.getOutputStream().write(("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n"
              + (10 + i)).getBytes(StandardCharsets.US_ASCII));
          StringBuilder answer = new StringBuilder();
          while (!answer.toString().endsWith(" " + (10 + i))) {
            answer.append((char) socket.getInputStream().read());
          }
          all.add(answer.substring(answer.lastIndexOf("\n") + 1));
        }
        assertThat(proxy.requests()).hasSize(3).allMatch(requests -> requests > 3);
      }
      answers.add(all);
    }
    assertThat(answers.getFirst()).isEqualTo(answers.getLast());
  }

  @Test
  @DisplayName("Passes each part of a stream at once")
  void streams() throws Exception {
    try (RandomProxy proxy = new RandomProxy(0, 7, List.of(host("a")))) {
      InputStream stream = client.send(HttpRequest.newBuilder(URI.create(proxy.url() + "/stream")).build(),
          BodyHandlers.ofInputStream()).body();
      assertThat(stream.read()).isEqualTo('a');
      goOn.countDown();
      assertThat(stream.readAllBytes()).isEqualTo(new byte[]{'b'});
    }
  }

  @Test
  @DisplayName("Leaves out a host that accepts no connection, and answers 502 without any")
  void down() throws Exception {
    List<Supplier<String>> urls = List.of(host("a"), host("b"));
    try (RandomProxy proxy = new RandomProxy(0, 7, urls)) {
      hosts.getFirst().stop(0);
      for (int i = 0; i < 10; i++) {
        assertThat(call(proxy, "x" + i).body()).isEqualTo("b x" + i);
      }
      hosts.getLast().stop(0);
      assertThat(call(proxy, "x").statusCode()).isEqualTo(502);
    }
  }
}
