package fleet.tower.cli.overview;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.approval.Approval;
import fleet.tower.harness.Await;
import fleet.tower.harness.TestHome;
import fleet.tower.harness.TestHome.Outcome;
import fleet.tower.home.OpenHome;
import fleet.tower.lease.Actor;
import fleet.tower.lease.Door;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.run.Run;
import fleet.tower.run.RunStatus;
import fleet.tower.run.submit.PlanHash;
import fleet.tower.run.submit.RunApprovals;

@DisplayName("The commands of approvals, on the files of a home")
class ApprovalCommandsTest {
  private static final String DEPLOY = """
      mode: mutate
      params:
        app: { type: string, default: web }
        note: { type: string, default: none }
        pin: { type: string, required: false, secret: true }
      controls: { lock: "deploy-${params.app}" }
      timeouts: { lock_ttl: 60 }
      approve: { n: 1, within: 1h }
      steps:
        - { name: ship, run: [echo, "shipping ${params.app}"], env: { REGION: "eu ${params.app}", NOTE: "${params.note}" } }
      """;

  private final TestHome home;
  private final OpenHome open;

  ApprovalCommandsTest(@TempDir Path directory) {
    home = new TestHome(directory.resolve("home"));
    open = new OpenHome(directory.resolve("home"));
  }

  @BeforeEach
  void declare() {
    open.declare("deploy", DEPLOY);
    open.awaitIntents(1);
  }

  @AfterEach
  void close() {
    open.close();
  }

  private Run requested(String id, String app) {
    return open.submit("claude", "deploy", id, Map.of("app", app)).handle().run();
  }

  private String hash(String id) {
    return home.tower("approvals " + id + " --json").data().text("plan_hash").orElseThrow();
  }

  private Run stored(String id) {
    return open.engine().store().find(new RequestId(id)).orElseThrow();
  }

  @Test
  @DisplayName("What a reader would not see in a plan is shown as its number")
  void hidden() {
    open.submit("claude", "deploy", "r2", Map.of("app", "web", "note", "shop\u202egpj.exe"));
    assertThat(home.tower("approve r2").out()).contains("param     note = \"shop\\u{202e}gpj.exe\"",
        "with NOTE=\"shop\\u{202e}gpj.exe\"");
  }

  @Test
  @DisplayName("A run that waits is listed and shown with its plan; only the hash of that plan approves it")
  void approved() {
    assertThat(home.tower("approvals").out()).isEqualTo("no runs that need an approval\n");
    assertThat(requested("r1", "web").status()).isEqualTo(RunStatus.AWAITING_APPROVAL);
    assertThat(home.tower("approvals --state open").out()).contains("r1", "deploy-web", "0 of 1");
    assertThat(home.tower("approvals --state approved").out()).isEqualTo("no runs that need an approval\n");
    String hash = hash("r1");
    Outcome shown = home.tower("approve r1");
    assertThat(shown.exit()).isZero();
    assertThat(shown.out()).contains("echo 'shipping web'", "param     app = \"web\"", "nothing has succeeded", hash);
    JsonObject plan = home.tower("approvals r1 --json").data().object("plan").orElseThrow();
    assertThat(shown.out()).contains("with REGION=\"eu web\"", "lock      deploy-web, exclusive, ttl 60 s");
    assertThat(plan.members().keySet()).contains("digest", "secrets", "force_lock", "controls", "foreign_locks")
        .filteredOn(name -> !Set.of("intent", "version", "lock", "params", "steps", "rollback").contains(name))
        .allSatisfy(name -> assertThat(shown.out())
            .contains("\n%-9s %s\n".formatted(name, plan.raw(Objects.requireNonNull(plan.get(name))))));
    assertThat(shown.err()).contains("tower approve r1 --plan-hash " + hash);
    assertThat(stored("r1").status()).as("showing approves nothing").isEqualTo(RunStatus.AWAITING_APPROVAL);

    Outcome other = home.tower("approve r1 --plan-hash sha256:000000000000 --json");
    assertThat(other.exit()).isEqualTo(2);
    assertThat(other.errorCode()).isEqualTo("plan_hash_mismatch");
    Outcome approved = home.tower("approve r1 --plan-hash " + hash.substring("sha256:".length(), 20)
        + " --reason seen");
    assertThat(approved.exit()).isZero();
    assertThat(approved.err()).contains("run r1 is approved (1 of 1)");
    assertThat(stored("r1").status()).isEqualTo(RunStatus.WAITING);
    assertThat(home.tower("approve r1 --plan-hash " + hash).exit()).as("again").isZero();

    open.queue().consumers().start();
    Await.until("the run has ended", () -> stored("r1").status().isFinished());
    assertThat(stored("r1").status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(home.tower("audit --event run_approved").out()).contains("\"reason\":\"seen\"", hash);

    requested("r2", "web");
    JsonObject before = home.tower("approvals r2 --json").data().object("last_success").orElseThrow();
    assertThat(before.text("request_id")).contains("r1");
    assertThat(before.texts("changed")).isEmpty();
    assertThat(home.tower("approvals r2").out()).contains("changed   nothing since run r1");
  }

  @Test
  @DisplayName("The user who requested it, whatever the actor is called, cannot approve it; the exit code is that of a denial")
  void ownRequest() {
    Outcome run = home.tower("run deploy --actor somebody --request-id r1 --json");
    assertThat(run.exit()).isEqualTo(2);
    assertThat(run.data().text("status")).contains("awaiting_approval");
    assertThat(home.tower("locks").out()).isEqualTo("no locks\n");
    Outcome approve = home.tower("approve r1 --json --plan-hash " + hash("r1"));
    assertThat(approve.exit()).isEqualTo(77);
    assertThat(approve.errorCode()).isEqualTo("own_request");
    assertThat(home.tower("run deploy --actor somebody --request-id r1").err()).as("the same id joins")
        .contains("r1 waits for approval");
    assertThat(home.tower("cancel r1").exit()).isZero();
    assertThat(stored("r1").status()).isEqualTo(RunStatus.CANCELLED);
  }

  @Test
  @DisplayName("AISVS 9.2.9 Where only logins may vote, a user of the system has no vote, also with the right and under any "
      + "name")
  void loginsOnly() {
    open.declare("logins", DEPLOY.replace("n: 1,", "n: 1, from: [\"oidc:*\"],"));
    open.awaitIntents(2);
    assertThat(open.submit("claude", "logins", "r1", Map.of()).handle().run().status())
        .isEqualTo(RunStatus.AWAITING_APPROVAL);
    String hash = hash("r1");
    for (String actor : List.of("alice", "oidc:https://login.example.org#5f")) {
      for (String vote : List.of("approve r1 --plan-hash " + hash, "reject r1 --reason no")) {
        Outcome refused = home.with("TOWER_ACTOR", actor).tower(vote + " --json");
        assertThat(refused.exit()).as(refused.out()).isEqualTo(77);
        assertThat(refused.errorCode()).isEqualTo("forbidden");
        assertThat(refused.out()).contains("it must be approved by oidc:*");
      }
    }
    assertThat(stored("r1").status()).isEqualTo(RunStatus.AWAITING_APPROVAL);
    assertThat(home.tower("audit --event access_denied").out().lines()).hasSize(4)
        .allSatisfy(line -> assertThat(line).contains("\"reason\":\"approval_not_allowed\""));
  }

  @Test
  @DisplayName("A rejection names who and why, to its requester as well")
  void rejected() {
    requested("r1", "web");
    assertThat(home.tower("reject r1").exit()).as("without a reason").isEqualTo(64);
    Outcome reject = home.run("reject", "r1", "--reason", "not on a Friday");
    assertThat(reject.exit()).isZero();
    assertThat(reject.err()).contains("run r1 is rejected");
    assertThat(home.tower("runs r1 --json").data().object("refusal").flatMap(it -> it.text("reason")))
        .contains("not on a Friday");
    assertThat(home.tower("runs --status failed").out()).isEqualTo("no runs\n");
    Outcome late = home.tower("approve r1 --json --plan-hash " + hash("r1"));
    assertThat(late.errorCode()).isEqualTo("approval_closed");
    assertThat(home.tower("approvals nothing --json").errorCode()).isEqualTo("run_not_found");
  }

  @Test
  @DisplayName("The same request under the same id gets the rejection again, waiting, in the queue or at once")
  void staysRejected() {
    assertThat(home.tower("run deploy --request-id r1").exit()).isEqualTo(2);
    vote(new RequestId("r1"), false, null);
    for (String way : List.of("", " --wait 60s", " --queue")) {
      Outcome again = home.tower("run deploy --request-id r1 --json" + way);
      assertThat(again.exit()).as(way).isEqualTo(2);
      assertThat(again.errorCode()).as(way).isEqualTo("approval_rejected");
    }
    assertThat(home.tower("run deploy --request-id r2 --json").data().text("status")).contains("awaiting_approval");
  }

  @Test
  @DisplayName("What was approved for later runs is listed and shown with its run, as long as it counts")
  void standing() {
    requested("r1", "web");
    JsonObject open = home.tower("approvals r1 --json").data();
    assertThat(open.texts("requesters")).containsExactly("claude");
    assertThat(open.raw()).contains("\"from\":[]", "\"standing\":[]");
    vote(new RequestId("r1"), true, new RunApprovals.Later(Duration.ofHours(2), 5));
    requested("r2", "web");
    assertThat(home.tower("approvals r1").out()).containsPattern("later     4 until 2\\S+Z, approved by bob\n");
    String list = home.tower("approvals --state approved").out();
    assertThat(list).containsPattern("r1 .* 4 until 2\\S+Z\n").containsPattern("r2 .* -\n");
    JsonObject standing = home.tower("approvals r1 --json").data().objects("standing").getFirst();
    assertThat(standing.text("principal")).contains("bob");
    assertThat(standing.integer("remaining")).hasValue(4);
    assertThat(home.run("reject", "r1", "--reason", "enough").exit()).isZero();
    assertThat(home.tower("approvals r1").out()).doesNotContain("later");
  }

  private void approve(RequestId id) {
    vote(id, true, null);
  }

  private void vote(RequestId id, boolean approves, RunApprovals.@Nullable Later later) {
    assertThat(open.engine().runs().approvals().vote(id, new RunApprovals.Ballot(new Actor("bob", Door.HTTP), "bob",
        approves, PlanHash.parse(hash(id.value())), null, later))).isInstanceOf(RunApprovals.Voted.class);
  }

  @Test
  @DisplayName("The intent of a task asks as well; its worker waits for the vote, and closes the task")
  void tasks() {
    assertThat(home.tower("task create one --id t1 --agent a --request-id 1 --intent deploy").exit()).isZero();
    CompletableFuture<Outcome> work = CompletableFuture
        .supplyAsync(() -> home.tower("task work --agent bot --once"));
    Await.until("it waits for approval",
        () -> !open.engine().runs().approvals().list(Approval.State.OPEN, 1).isEmpty());
    approve(open.engine().runs().approvals().list(Approval.State.OPEN, 1).getFirst().requestId());
    assertThat(work.join().exit()).isZero();
    assertThat(home.tower("task get t1 --json").out()).contains("\"status\":\"completed\"");
  }

  @Test
  @DisplayName("tower run --wait waits for the vote, and executes the run itself, with its secrets, if no service does")
  void waits() {
    CompletableFuture<Outcome> run = CompletableFuture
        .supplyAsync(() -> home.tower("run deploy -p app=shop -p pin=4711 --wait 60s --request-id r1"));
    Await.until("it waits for approval", () -> open.engine().store().find(new RequestId("r1")).isPresent());
    approve(new RequestId("r1"));
    Outcome ended = run.join();
    assertThat(ended.exit()).isZero();
    assertThat(ended.out()).contains("shipping shop");
    assertThat(ended.err()).contains("run r1 succeeded");
    assertThat(stored("r1").status()).isEqualTo(RunStatus.SUCCEEDED);
  }
}
