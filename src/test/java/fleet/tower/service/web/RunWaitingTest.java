package fleet.tower.service.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.harness.Await;
import fleet.tower.harness.Extent;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.service.config.TestService.Answer;

@DisplayName("Waiting runs over HTTP")
class RunWaitingTest extends SharedRunServiceTest {
  /** The maximum number of waiters for one name. */
  private static final int EACH = 100;
  private static final int NAMES = Extent.of(1, 3, 10);

  private static String waiting(String lock, String id) {
    return "{\"params\":{\"lock\":\"" + lock + "\"},\"request_id\":\"" + id + "\",\"wait_seconds\":600}";
  }

  private int waiters(String lock) {
    String body = service.get("/locks/" + lock).body();
    return Integer.parseInt(body.replaceFirst(".*\"waiters\":(\\d+).*", "$1"));
  }

  @Test
  @DisplayName("Waiters get the lock in the order of their calls, with clients' own locks among them")
  void order() throws Exception {
    CompletableFuture<Answer> holder = bench.begin("order", "order-0");
    List<CompletableFuture<Answer>> waiting = new ArrayList<>();
    for (int i = 1; i <= 5; i++) {
      int before = i;
      waiting.add(service.later("/intents/short", waiting("order", "order-" + i)));
      Await.until("the waiter is in the queue", () -> waiters("order") == before);
    }
    CompletableFuture<Answer> client = service.later("/locks/order",
        "{\"request_id\":\"client\",\"wait_seconds\":600}");
    Await.until("the client is in the queue", () -> waiters("order") == 6);
    assertThat(service.get("/runs/order-5").body()).contains("\"status\":\"waiting\"");

    bench.letGo("order");
    assertThat(holder.get().status()).isEqualTo(200);
    for (CompletableFuture<Answer> run : waiting) {
      assertThat(run.get().body()).contains("\"status\":\"succeeded\"");
    }
    assertThat(bench.lines("order-order")).containsExactly("order-1", "order-2", "order-3", "order-4", "order-5");
    assertThat(client.get().status()).isEqualTo(201);
  }

  @Test
  @DisplayName("Prefer: wait=N is 200 if the run ends in time, else 202; in both cases it is the same run")
  void preferWait() throws Exception {
    Answer done = service.call("POST", "/intents/short", "{}", "Content-Type", "application/json", "Prefer",
        "respond-async, wait=30");
    assertThat(done.status()).isEqualTo(200);
    assertThat(done.header("Preference-Applied")).isEqualTo("wait=30");

    String body = "{\"params\":{\"lock\":\"prefer\"}}";
    String[] headers = {"Content-Type", "application/json", "Prefer", "wait=1", "Idempotency-Key", "\"prefer-1\""};
    Answer begun = service.call("POST", "/intents/wait", body, headers);
    assertThat(begun.status()).isEqualTo(202);
    Await.until("its step has begun", () -> !bench.lines("begun-prefer").isEmpty());
    Answer running = service.call("POST", "/intents/wait", body, headers);
    assertThat(running.status()).isEqualTo(202);
    assertThat(running.body()).contains("\"status\":\"running\"");
    String run = begun.header("Location");
    assertThat(running.body()).as("U11").endsWith("\"next_actions\":["
        + "{\"method\":\"GET\",\"href\":\"" + run + "?wait_seconds=60\",\"command\":\"tower wait " + run.substring(6)
        + "\",\"why\":\"wait for its end\"},{\"method\":\"GET\",\"href\":\"" + run + "\",\"command\":\"tower runs "
        + run.substring(6) + "\",\"why\":\"see its state\"},{\"method\":\"POST\",\"href\":\"" + run
        + "/cancel\",\"body\":{},\"command\":\"tower cancel " + run.substring(6)
        + "\",\"why\":\"stop it and roll it back\"}]}");
    assertThat(service.get(run + "?wait_seconds=0").body()).contains("\"status\":\"running\"");
    CompletableFuture<Answer> waiting = CompletableFuture.supplyAsync(() -> service.get(run + "?wait_seconds=60"));
    bench.letGo("prefer");
    assertThat(waiting.get().body()).contains("\"status\":\"succeeded\"").doesNotContain("next_actions");
    Answer ended = service.later("/intents/wait", body, "Idempotency-Key", "prefer-1").get();
    assertThat(ended.status()).isEqualTo(200);
    assertThat(ended.header("Idempotency-Replayed")).isEqualTo("true");
    assertThat(begun.header("Location")).isEqualTo("/runs/" + ended.body().split("\"", -1)[3]);
  }

  @Test
  @DisplayName("A client that disconnects does not end its run")
  void goneClient() throws Exception {
    CompletableFuture<Answer> client = bench.begin("gone", "gone-1");
    assertThat(client.cancel(true)).isTrue();
    bench.letGo("gone");

    Await.until("it has ended", () -> service.get("/runs/gone-1").body().contains("\"status\":\"succeeded\""));
  }

  @Test
  @DisplayName("200 concurrent calls with one key are one run, and have one answer")
  void oneKey() {
    List<CompletableFuture<Answer>> calls = IntStream.range(0, 200)
        .mapToObj(_ -> service.later("/intents/short", "{\"params\":{\"lock\":\"key\"}}", "Idempotency-Key", "k-1"))
        .toList();
    List<Answer> answers = calls.stream().map(CompletableFuture::join).toList();

    assertThat(answers).allSatisfy(answer -> assertThat(answer.status()).as(answer.body()).isEqualTo(200));
    assertThat(answers.stream().map(Answer::body).distinct()).hasSize(1);
    assertThat(answers.stream().filter(answer -> answer.header("Idempotency-Replayed").isEmpty())).hasSize(1);
    assertThat(bench.lines("order-key")).hasSize(1);
  }

  /** The names of all platform threads except those of the clients, which are in this process too. */
  private static List<String> threadsOfService() {
    return Thread.getAllStackTraces().keySet().stream().map(Thread::getName)
        .filter(name -> !name.startsWith("HttpClient")).toList();
  }

  @Test
  @DisplayName("Hundreds of runs wait on a few names with few threads; the next one is 429; all get their turn")
  @ProofsProfile
  void hundreds() throws Exception {
    List<CompletableFuture<Answer>> holders = IntStream.range(0, NAMES)
        .mapToObj(name -> bench.begin("many-" + name, "holder-" + name)).toList();
    int before = threadsOfService().size();
    List<CompletableFuture<Answer>> waiting = new ArrayList<>();
    for (int name = 0; name < NAMES; name++) {
      String lock = "many-" + name;
      // The number of connections that the server's backlog accepts at once.
      for (int i = 0; i < EACH; i++) {
        waiting.add(service.later("/intents/short", waiting(lock, lock + "-" + i)));
      }
      Await.until("all of " + lock + " wait", () -> {
        assertThat(waiting.stream().filter(CompletableFuture::isDone).map(CompletableFuture::join)).isEmpty();
        return waiters(lock) == EACH;
      });
    }
    assertThat(threadsOfService()).hasSizeLessThan(before + 60);

    Answer tooMany = service.post("/intents/short", waiting("many-0", "one-more"));
    assertThat(tooMany.status()).isEqualTo(429);
    assertThat(tooMany.header("Retry-After")).isEqualTo("5");
    assertThat(tooMany.body()).contains("\"error\":\"too_many_waiters\",\"lock_name\":\"many-0\",\"waiters\":100");

    IntStream.range(0, NAMES).forEach(name -> bench.letGo("many-" + name));
    Await.until("all are answered",
        () -> Stream.concat(holders.stream(), waiting.stream()).allMatch(CompletableFuture::isDone));
    assertThat(holders).allSatisfy(run -> assertThat(run.join().status()).isEqualTo(200));
    assertThat(waiting).allSatisfy(run -> assertThat(run.join().body()).contains("\"status\":\"succeeded\""));
    IntStream.range(0, NAMES).forEach(name -> assertThat(bench.lines("order-many-" + name)).hasSize(EACH));
  }
}
