package fleet.tower.service.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Await;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.harness.ServiceProcess;
import fleet.tower.harness.TestHome;
import fleet.tower.harness.TestRelease;
import fleet.tower.lease.RequestId;
import fleet.tower.mailbox.MailboxCommand;
import fleet.tower.mailbox.MailboxName;
import fleet.tower.mailbox.MailboxOutcome;
import fleet.tower.mailbox.MailboxStore;
import fleet.tower.mailbox.Message;
import fleet.tower.mailbox.MessageBody;
import fleet.tower.mailbox.MessageId;
import fleet.tower.mailbox.Visibility;
import fleet.tower.mailbox.sql.SqlMailboxes;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.service.config.TestService;

/** Tests a service in its own process with a heap much smaller than the requested data. */
@Timeout(300)
@ProofsProfile
class ServiceMemoryTest {
  private static final long DOWNLOADED = 300_000_000;

  private final Path home;
  private final Path printed;
  private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final List<Process> started = new ArrayList<>();

  ServiceMemoryTest(@TempDir Path directory) {
    home = directory.resolve("home");
    printed = directory.resolve("printed");
  }

  @AfterEach
  void stop() throws InterruptedException {
    for (Process process : started) {
      process.destroyForcibly().waitFor();
    }
    client.close();
  }

  /** Starts a service and returns its address. */
  private String serve(String heap) throws Exception {
    ProcessBuilder serve = new ProcessBuilder(TestRelease.command("serve", List.of("-Xmx" + heap,
        "-XX:+ExitOnOutOfMemoryError"), "serve", "--port", "0")).redirectErrorStream(true)
        .redirectOutput(printed.toFile());
    serve.environment().put("TOWER_HOME", home.toString());
    serve.environment().put("TOWER_LOCK_INSECURE_DIRECTORY", "true");
    Process process = serve.start();
    started.add(process);
    return ServiceProcess.awaitReady(process, printed, printed).group(1);
  }

  private HttpRequest.Builder request(String url) throws Exception {
    return HttpRequest.newBuilder(URI.create(url)).header("Authorization",
        "Bearer " + Files.readString(home.resolve("state/token")).strip());
  }

  private CompletableFuture<HttpResponse<String>> post(String url, String body) throws Exception {
    return client.sendAsync(request(url).header("Content-Type", "application/json")
        .POST(BodyPublishers.ofString(body)).build(), BodyHandlers.ofString());
  }

  private void bury(int letters, int size) {
    Random random = new Random(5);
    try (MailboxStore store = new SqlMailboxes("jdbc:sqlite:" + home.resolve("state/tower.db"), SystemTime.source())
        .open()) {
      MailboxName box = new MailboxName("big");
      for (int i = 0; i < letters; i++) {
        byte[] body = new byte[size * 3 / 4];
        random.nextBytes(body);
        store.send(new MailboxCommand.Send(box, null, MessageBody.text(Base64.getEncoder().encodeToString(body)), null,
            java.util.OptionalInt.empty(), null), new MessageId("msg_" + i));
        MailboxOutcome.Received received = store.receive(
            new MailboxCommand.Receive(box, 1, Visibility.DEFAULT, 5, null),
            new RequestId("req_delivery" + i), SystemTime.source().nanos());
        for (Message.Delivery delivery : received.deliveries()) {
          store.reject(new MailboxCommand.Reject(box, delivery.receipt(), "no"));
        }
      }
    }
  }

  @Test
  @DisplayName("Six clients that read 100 MB of dead letters at once each get complete rows of 8 MB and `truncated`")
  void deadLetters() throws Exception {
    bury(400, 250_000);
    String url = serve("128m");
    for (int round = 0; round < 3; round++) {
      List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        answers
            .add(client.sendAsync(request(url + "/mailboxes/big/dead?limit=10000").build(), BodyHandlers.ofString()));
      }
      assertThat(client.send(HttpRequest.newBuilder(URI.create(url + "/actuator/health/liveness")).build(),
          BodyHandlers.ofString()).statusCode()).isEqualTo(200);
      for (CompletableFuture<HttpResponse<String>> answer : answers) {
        assertThat(answer.join().statusCode()).isEqualTo(200);
        JsonObject data = TestHome.json(answer.join().body()).object("data").orElseThrow();
        assertThat(data.objects("dead_letters")).hasSize(33);
        assertThat(answer.join().body()).endsWith("],\"truncated\":true}}");
      }
    }
    assertThat(started).allMatch(Process::isAlive);
    assertThat(printed).content().doesNotContain("OutOfMemory");
  }

  @Test
  @DisplayName("Fourteen concurrent runs, each with a secret of 16,000 characters, and other calls: all succeed, "
      + "all secrets are masked")
  void secrets() throws Exception {
    TestService.declare(home, "print", """
        mode: observe
        params: { s: { type: string, secret: true, required: true } }
        steps:
          - name: print
            script: printf '<%s>\\n' "$PARAM_S"; printf '%s' "$PARAM_S" | base64 -w0
        """);
    TestService.declare(home, "innocent", """
        mode: observe
        steps:
          - name: print
            run: [printf, hello]
        """);
    String url = serve("256m");
    List<CompletableFuture<HttpResponse<String>>> secret = new ArrayList<>();
    List<CompletableFuture<HttpResponse<String>>> innocent = new ArrayList<>();
    List<String> values = new ArrayList<>();
    for (int i = 0; i < 14; i++) {
      values.add(value(new Random(i)));
      secret.add(post(url + "/intents/print",
          "{\"params\":{\"s\":" + JsonWriter.quote(values.get(i)) + "}}"));
      if (i % 2 == 0) {
        innocent.add(post(url + "/intents/innocent", "{}"));
      }
    }
    for (CompletableFuture<HttpResponse<String>> answer : innocent) {
      assertThat(answer.join().body()).contains("\"status\":\"succeeded\"", "\"output_tail\":\"hello\"");
    }
    for (int i = 0; i < 14; i++) {
      assertThat(secret.get(i).join().body()).contains("\"status\":\"succeeded\"", "\"output_tail\":\"<***>\\n***\"")
          .doesNotContain(values.get(i).substring(0, 30));
    }
    assertThat(printed).content(StandardCharsets.UTF_8).doesNotContain("OutOfMemory");
  }

  @Test
  @DisplayName("An output of 1 GB with a heap of 96 MB: a window opens within 100 ms, a search continues to the end, "
      + "and a download of 300 MB is complete")
  void largeOutput() throws Exception {
    TestService.declare(home, "print", """
        mode: observe
        steps: [{ name: print, run: [echo, hello] }]
        """);
    String url = serve("96m");
    assertThat(post(url + "/intents/print", "{\"request_id\":\"large\"}").join().statusCode()).isEqualTo(200);
    Path log = home.resolve("logs/runs/large/print.log");
    byte[] part = "a line of output that is like many others, and is not the one\n".repeat(16_384)
        .getBytes(StandardCharsets.UTF_8);
    try (var out = Files.newOutputStream(log)) {
      for (int i = 0; i < 1024; i++) {
        out.write(part);
      }
      out.write("the Needle\n".getBytes(StandardCharsets.UTF_8));
    }
    long size = Files.size(log);
    assertThat(size).isGreaterThan(1_000_000_000);
    try {
      assertOpensFast(url + "/runs/large/output?", size);
      assertThat(search(url + "/runs/large/output/search?q=needle&offset=", size - 300_000_000)).isEqualTo(size - 11);
      try (FileChannel file = FileChannel.open(log, StandardOpenOption.WRITE)) {
        file.truncate(DOWNLOADED);
      }
      LongAdder received = new LongAdder();
      client.send(request(url + "/runs/large/output/download?step=print").build(),
          BodyHandlers.ofByteArrayConsumer(some -> some.ifPresent(bytes -> received.add(bytes.length))));
      assertThat(received.sum()).isEqualTo(DOWNLOADED);
    } finally {
      Files.delete(log);
    }
    assertThat(started).allMatch(Process::isAlive);
    assertThat(printed).content().doesNotContain("OutOfMemory");
  }

  /** Windows at both ends and in the middle, each repeated until one is in time, because the machine has other work. */
  private void assertOpensFast(String output, long size) {
    for (String place : List.of("offset=0", "offset=-1", "before=" + size, "lines=2000&offset=" + size / 2)) {
      Await.until(place + " opens within 100 ms", () -> opensFast(output + place));
    }
  }

  private boolean opensFast(String window) {
    try {
      HttpRequest request = request(window).build();
      long begin = SystemTime.source().nanos();
      HttpResponse<String> answer = client.send(request, BodyHandlers.ofString());
      long nanos = SystemTime.source().nanos() - begin;
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(TestHome.json(answer.body()).objects("lines")).isNotEmpty();
      return nanos < 100_000_000;
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  /** The place of the only match, found in more than one call or in one of about a second. */
  private long search(String path, long from) throws Exception {
    long next = from;
    for (;;) {
      JsonObject found = TestHome.json(client.send(request(path + next).build(), BodyHandlers.ofString()).body());
      if (!found.objects("matches").isEmpty()) {
        assertThat(found.integer("next")).isEmpty();
        return found.objects("matches").getFirst().integer("offset").orElseThrow();
      }
      assertThat(found.integer("next").orElseThrow()).isGreaterThan(next);
      next = found.integer("next").orElseThrow();
    }
  }

  private static String value(Random random) {
    StringBuilder value = new StringBuilder();
    while (value.length() < 16_000) {
      value.append("aB3 $`\"'\\<>&%/+=?#!*(){}[];|~^,.:@_-".charAt(random.nextInt(36)));
    }
    return value.toString();
  }
}
