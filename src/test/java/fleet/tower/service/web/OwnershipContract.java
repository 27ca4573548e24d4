package fleet.tower.service.web;

import static fleet.tower.service.web.access.TestTokens.entry;
import static fleet.tower.service.web.access.TestTokens.tokenOf;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.harness.Await;
import fleet.tower.service.config.TestService.Answer;
import fleet.tower.service.web.access.TestTokens;

/** The contract for callers that know another's request id, tried in every known way, for each kind of lock store. */
abstract class OwnershipContract extends SharedRunServiceTest {
  OwnershipContract(String... settings) {
    super(settings);
  }

  @Override
  void prepare(Path home) {
    TestTokens.write(home, entry("alice", "agent", "") + entry("bob", "agent", "") + entry("carol", "agent", ""));
  }

  private Answer as(String who, String method, String path, String body, String... headers) {
    return service.callAs(tokenOf(who), method, path, body, headers);
  }

  private Answer lock(String who, String name, String id, String more) {
    return as(who, "POST", "/locks/" + name, "{\"request_id\":\"" + id + "\"" + more + "}");
  }

  private Answer run(String who, String name, String id, String more, String... headers) {
    return as(who, "POST", "/intents/short",
        "{\"params\":{\"lock\":\"" + name + "\"},\"request_id\":\"" + id + "\"" + more + "}", headers);
  }

  private Answer release(String who, String name, String id) {
    return as(who, "DELETE", "/locks/" + name + "?request_id=" + id, "");
  }

  private static void assertAnswer(Answer answer, int status, String error) {
    assertThat(answer.body()).contains("\"error\":\"" + error + "\"");
    assertThat(answer.status()).isEqualTo(status);
  }

  private void assertHeldBy(String name, String id, String actor) {
    assertThat(service.get("/locks/" + name).body()).contains("\"request_id\":\"" + id + "\"",
        "\"actor\":\"" + actor + "\"");
  }

  private void assertNothingRan(String name) {
    assertThat(bench.lines("order-" + name)).isEmpty();
  }

  private void awaitStatus(String id, String status) {
    Await.until(id + " is " + status,
        () -> service.get("/runs/" + id).body().contains("\"status\":\"" + status + "\",\"result\""));
  }

  @ParameterizedTest(name = "by {0}, {1}")
  @CsvSource({"alice, at once, lock_blocked", "alice, waiting, lock_wait_timeout", "alice, queued, lock_blocked",
      "bob, at once, lock_blocked", "bob, waiting, lock_wait_timeout", "bob, queued, lock_blocked"})
  @DisplayName("A run with the holder's request id is blocked, also the holder's own, and the lock is unchanged")
  void runInsideAnothersLock(String who, String how, String error) {
    String name = "inside-" + who + how.substring(0, 2).strip();
    assertThat(lock("bob", name, "req_" + name, ",\"ttl_seconds\":300").status()).isEqualTo(201);

    Answer answer = run(who, name, "req_" + name, switch (how) {
      case "waiting" -> ",\"wait_seconds\":1";
      case "queued" -> ",\"queue\":true";
      default -> "";
    });

    if (answer.status() == 202) {
      awaitStatus("req_" + name, "refused");
      assertThat(service.get("/runs/req_" + name).body()).contains("\"error\":\"" + error + "\"");
    } else {
      assertAnswer(answer, 409, error);
    }
    assertNothingRan(name);
    assertHeldBy(name, "req_" + name, "bob");
    assertThat(as("bob", "POST", "/locks/" + name + "/heartbeat", "{\"request_id\":\"req_" + name + "\"}").status())
        .isEqualTo(200);
    assertThat(who.equals("bob") || lock("bob", name, "req_" + name, "").body().contains("\"already_held\":true"))
        .as("another actor's run under the holder's id takes nothing").isTrue();
    assertThat(release("bob", name, "req_" + name).status()).isEqualTo(200);
  }

  @Test
  @DisplayName("A client with the holder's request id neither enters, renews nor releases")
  void clientInsideAnothersLock() {
    lock("bob", "client", "req_client", "");

    assertAnswer(lock("alice", "client", "req_client", ""), 409, "lock_blocked");
    assertAnswer(lock("alice", "client", "req_client", ",\"wait_seconds\":1"), 409, "lock_wait_timeout");
    assertAnswer(service.post("/locks/client", "{\"request_id\":\"req_client\",\"force_lock\":true}"), 409,
        "lock_blocked");
    assertAnswer(as("alice", "POST", "/locks/client/heartbeat", "{\"request_id\":\"req_client\",\"fencing_token\":1}"),
        403, "forbidden");
    assertAnswer(release("alice", "client", "req_client"), 403, "forbidden");
    assertHeldBy("client", "req_client", "bob");
    assertThat(lock("bob", "client", "req_client", "").body()).contains("\"already_held\":true");
    assertThat(service.post("/locks/client/heartbeat", "{\"request_id\":\"req_client\"}").status())
        .as("an operator renews by the request id").isEqualTo(200);
    assertThat(service.call("DELETE", "/locks/client?request_id=req_client", "").status())
        .as("and releases").isEqualTo(200);
  }

  @Test
  @DisplayName("X-Actor with the owner's name gives no right to its lock or run")
  void onBehalfOfTheOwner() {
    lock("bob", "behalf", "req_behalf", ",\"ttl_seconds\":300");
    as("bob", "POST", "/intents/wait", "{\"params\":{\"lock\":\"behalf-run\"},\"request_id\":\"run_behalf\"}", "Prefer",
        "respond-async");
    Await.until("its step has begun", () -> bench.lines("begun-behalf-run").contains("run_behalf"));

    for (Answer answer : List.of(
        as("alice", "POST", "/locks/behalf/heartbeat", "{\"request_id\":\"req_behalf\"}", "X-Actor", "bob"),
        as("alice", "DELETE", "/locks/behalf?request_id=req_behalf", "", "X-Actor", "bob"),
        as("alice", "POST", "/runs/run_behalf/beat", "{}", "X-Actor", "bob"),
        as("alice", "POST", "/runs/run_behalf/cancel", "{}", "X-Actor", "bob"))) {
      assertAnswer(answer, 403, "forbidden");
      assertThat(answer.body()).contains("\"reason\":\"not_yours\"");
    }
    assertHeldBy("behalf", "req_behalf", "bob");
    assertHeldBy("behalf-run", "run_behalf", "bob");
    bench.letGo("behalf-run");
    awaitStatus("run_behalf", "succeeded");
  }

  @ParameterizedTest
  @CsvSource({"/locks/behalf-wait, /locks/behalf-wait, wait_seconds",
      "/mailboxes/behalf-wait, /mailboxes/behalf-wait/receive, wait_time_seconds"})
  @DisplayName("X-Actor with the owner's name withdraws no waiting request")
  void withdrawnOnBehalfOfTheOwner(String place, String call, String limit) {
    service.post("/locks/behalf-wait", "{\"request_id\":\"req_held\",\"ttl_seconds\":300}");
    CompletableFuture<Answer> waiting = CompletableFuture.supplyAsync(() -> as("bob", "POST", call,
        "{\"request_id\":\"req_w\",\"" + limit + "\":300}"));
    Await.until("it waits", () -> service.get("/overview").body().contains("{\"name\":\"bob\",\"role\":\"agent\","
        + "\"waiting_calls\":1,"));

    assertAnswer(as("alice", "DELETE", place + "/waiters/req_w", "", "X-Actor", "bob"), 404, "not_waiting");

    assertThat(waiting).isNotDone();
    assertThat(as("bob", "DELETE", place + "/waiters/req_w", "", "X-Actor", "alice").status()).isEqualTo(200);
    waiting.join();
    service.call("DELETE", "/locks/behalf-wait?request_id=req_held", "");
  }

  @Test
  @DisplayName("A freeze blocks every run and client with the holder's request id")
  void pastAFreeze() {
    service.post("/locks/frozen", "{\"request_id\":\"req_frozen\",\"ttl_seconds\":300}");
    service.call("PUT", "/freezes/frozen", "{\"ttl_seconds\":60,\"reason\":\"migration\"}", "Content-Type",
        "application/json");

    assertAnswer(run("alice", "frozen", "req_frozen", ""), 409, "lock_frozen");
    assertAnswer(lock("alice", "frozen", "req_frozen", ""), 409, "lock_frozen");
    assertNothingRan("frozen");
    assertHeldBy("frozen", "req_frozen", "operator");
    assertThat(service.post("/locks/frozen", "{\"request_id\":\"req_frozen\"}").status())
        .as("the holder may repeat its request").isEqualTo(200);
  }

  @Test
  @DisplayName("A stale lock needs an operator's force, with any request id")
  void staleWithoutForce() {
    lock("bob", "stale", "req_stale", ",\"ttl_seconds\":1");
    Await.until("it is stale", () -> service.get("/locks/stale").body().contains("\"state\":\"stale\""));

    assertAnswer(run("alice", "stale", "req_stale", ""), 409, "lock_stale");
    assertAnswer(lock("alice", "stale", "req_stale", ""), 409, "lock_stale");
    assertAnswer(run("alice", "stale", "req_stale", ",\"force_lock\":true"), 403, "forbidden");
    assertAnswer(run("bob", "stale", "req_stale", ""), 409, "lock_stale");
    assertNothingRan("stale");
    assertHeldBy("stale", "req_stale", "bob");
  }

  @ParameterizedTest(name = "by {0}")
  @ValueSource(strings = {"alice", "bob"})
  @DisplayName("No client acquires a lock under a queued run's id, and none ends a running run's lock")
  void underTheIdOfAQueuedRun(String who) {
    String gate = "gate-" + who;
    String name = "queued-" + who;
    as("bob", "POST", "/intents/wait", "{\"params\":{\"lock\":\"" + gate + "\"},\"request_id\":\"" + gate
        + "\",\"queue\":true}", "Prefer", "respond-async");
    Await.until("the only worker is busy", () -> bench.lines("begun-" + gate).contains(gate));
    String queued = "{\"params\":{\"lock\":\"" + name + "\"},\"request_id\":\"" + name + "\",\"queue\":true}";
    assertThat(as("bob", "POST", "/intents/wait", queued, "Prefer", "respond-async").status()).isEqualTo(202);

    assertAnswer(lock(who, name, name, ""), 409, "lock_of_run");
    assertAnswer(lock(who, "other-" + who, name, ",\"wait_seconds\":5"), 409, "lock_of_run");
    bench.letGo(gate);
    Await.until("the run runs", () -> bench.lines("begun-" + name).contains(name));
    assertAnswer(lock(who, name, name, ""), 409, "lock_of_run");
    assertAnswer(lock("carol", name, "req_carol", ""), 409, "lock_blocked");
    assertAnswer(release("alice", name, name), 409, "lock_of_run");
    bench.letGo(name);
    awaitStatus(name, "succeeded");
    assertThat(service.get("/runs/" + name).body()).contains("\"warnings\":[]");
    assertAnswer(lock(who, name, name, ""), 409, "lock_of_run");
  }

  @Test
  @DisplayName("Of two waiters with one request id, one gets the lock and the other keeps waiting")
  void afterAWait() {
    lock("carol", "waited", "req_holder", "");
    CompletableFuture<Answer> bob = later("bob", "req_w");
    Await.until("bob waits", () -> service.get("/locks/waited").body().contains("\"waiters\":1"));
    CompletableFuture<Answer> alice = later("alice", "req_w");
    Await.until("both wait", () -> service.get("/locks/waited").body().contains("\"waiters\":2"));

    release("carol", "waited", "req_holder");

    assertThat(bob.join().status()).isEqualTo(201);
    assertThat(alice.isDone()).isFalse();
    assertHeldBy("waited", "req_w", "bob");
    assertAnswer(as("alice", "DELETE", "/locks/waited?request_id=req_w", ""), 403, "forbidden");
    assertThat(release("bob", "waited", "req_w").status()).isEqualTo(200);
    assertThat(alice.join().body()).contains("\"already_held\":false", "\"actor\":\"alice\"");
    assertThat(release("alice", "waited", "req_w").status()).isEqualTo(200);
  }

  private CompletableFuture<Answer> later(String who, String id) {
    CompletableFuture<Answer> answer = new CompletableFuture<>();
    Thread.ofVirtual().start(() -> answer.complete(lock(who, "waited", id, ",\"wait_seconds\":600")));
    return answer;
  }
}
