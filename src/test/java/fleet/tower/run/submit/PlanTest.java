package fleet.tower.run.submit;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.answer.PlanJson;
import fleet.tower.intent.Values;
import fleet.tower.lease.Actor;
import fleet.tower.lease.Decision;
import fleet.tower.lease.Door;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.run.Processes;
import fleet.tower.run.Run;
import fleet.tower.run.RunRefusal;
import fleet.tower.run.execute.LockTerms;
import fleet.tower.run.submit.Runs.PlanOutcome;

class PlanTest {
  @AutoClose
  private final TestExecutor works;

  PlanTest(@TempDir Path directory) {
    works = new TestExecutor(directory.resolve("locks"));
  }

  private Plan plan(String intent) {
    return plan(new RunRequest(intent, Map.of("key", new Values.Given("s3cret", Values.Given.Kind.STRING)), null, null,
        new Run.Origin(new Actor("alice", Door.RUN), "{}", null), LockTerms.PLAIN, null, null));
  }

  private Plan plan(RunRequest request) {
    return switch (works.runs.plan(request)) {
      case PlanOutcome.Planned(Plan plan) -> plan;
      case PlanOutcome.NotPlanned(SubmitOutcome.Refusal why) -> throw new AssertionError("not planned: " + why);
    };
  }

  @Test
  @DisplayName("A plan shows the lock, its state, and the steps with masked secrets; it acquires and starts nothing")
  void whole() {
    works.with(IntentBuilder.mutate("deploy").lock("${params.app}-prod").env("KEY", "<${params.key}>")
        .step("one", "apply", "${params.app}", "${lock.token}", "${request.id}").script("two", "echo \"$KEY\"")
        .undoable("three").rollback("notify"));

    String json = PlanJson.plan(plan("deploy")).end();

    assertThat(json.replaceFirst("sha256:[0-9a-f]{64}", "sha256:H")).isEqualTo("{\"intent\":\"deploy\","
        + "\"intent_version\":\"1.2.0\",\"mode\":\"mutate\",\"heartbeat\":\"timer\",\"lock_name\":\"money-prod\",\"lock_state\":\"free\",\"foreign_locks\":[],"
        + "\"steps\":[{\"name\":\"one\",\"run\":[\"apply\",\"money\",\"${lock.token}\",\"${request.id}\"],"
        + "\"env\":{\"KEY\":\"<***>\"},\"timeout_seconds\":600},{\"name\":\"two\",\"script\":\"echo \\\"$KEY\\\"\","
        + "\"env\":{},\"timeout_seconds\":5},{\"name\":\"three\",\"run\":[\"do\",\"three\"],\"env\":{},"
        + "\"timeout_seconds\":600,\"rollback\":[\"undo\",\"three\"]}],\"rollback\":[{\"name\":\"notify\","
        + "\"run\":[\"undo\",\"notify\"],\"env\":{},\"timeout_seconds\":600}],\"warnings\":[],"
        + "\"plan\":" + plan("deploy").document().text() + ",\"plan_hash\":\"sha256:H\"}");
    assertThat(works.isLocked("money-prod")).isFalse();
    assertThat(works.store.calls()).isEmpty();
    assertThat(works.processes.events()).isEmpty();
    assertThat(works.audit.events()).isEmpty();
  }

  @Test
  @DisplayName("The holder of the lock is shown with the plan, and is no part of it")
  void held() {
    works.with(IntentBuilder.mutate("deploy").lock("prod").step("one", "true"));
    Plan free = plan("deploy");
    works.hold("prod", "bob-1");
    Plan held = plan("deploy");

    assertThat(held.state()).isEqualTo("held");
    assertThat(PlanJson.plan(held).end()).contains("\"lock_state\":\"held\",\"held_by\":{\"request_id\":\"bob-1\"");
    assertThat(hash(held)).isEqualTo(hash(free));
    assertThat(hash(plan(TestExecutor.request("deploy", "r1")))).isNotEqualTo(hash(free));
  }

  @Test
  @DisplayName("LK-30 a plan shows who froze its lock and why; a run is refused and leaves nothing")
  void frozen() {
    works.with(IntentBuilder.mutate("deploy").lock("prod").step("one", "true"));
    works.freeze("prod");
    Plan frozen = plan("deploy");
    assertThat(frozen.state()).isEqualTo("frozen");
    assertThat(PlanJson.plan(frozen).end()).contains("\"lock_state\":\"frozen\",\"frozen\":{\"lock_name\":\"prod\"",
        "\"reason\":\"migration\"");
    assertThat(works.runs.submit(TestExecutor.request("deploy", "r1")))
        .isInstanceOfSatisfying(SubmitOutcome.OwnRefused.class,
            refused -> assertThat(refused.refusal()).isInstanceOf(Decision.Frozen.class));
    assertThat(works.runs.find(new RequestId("r1"))).isEmpty();
    assertThat(works.processes.events()).isEmpty();
  }

  @Test
  @DisplayName("TF-9.3 the plan of an observe intent shows the state of the lock it names, and that it takes none")
  void observe() {
    works.with(IntentBuilder.observe("report").lock("prod").step("one", "true"),
        IntentBuilder.observe("plain").step("one", "true"));
    works.hold("prod", "bob-1");

    assertThat(plan("report").prepared().lock()).isNull();
    assertThat(plan("report").state()).isEqualTo("held");
    assertThat(plan("report").lock()).satisfies(
        view -> assertThat(view.name()).isEqualTo(new LeaseName("prod")));
    assertThat(PlanJson.plan(plan("plain")).end()).contains("\"lock_name\":null,\"lock_state\":\"none\"");
  }

  @Test
  @DisplayName("A request that would be rejected is not planned")
  void rejected() {
    works.with(IntentBuilder.mutate("deploy").lock("Prod").step("one", "true"));

    assertThat(works.runs.plan(TestExecutor.request("deploy", "r1")))
        .isInstanceOfSatisfying(PlanOutcome.NotPlanned.class,
            not -> assertThat(not.why()).isInstanceOf(SubmitOutcome.InvalidLockName.class));
  }

  @Test
  @DisplayName("A request for a planned run is rejected if the run would do something else; its replay is not")
  void required() {
    works.with(IntentBuilder.mutate("deploy").lock("prod").step("one", "true"));
    works.processes.plan("one", new Processes.Exited(0));
    RunRequest request = TestExecutor.request("deploy", "r1");
    PlanHash hash = PlanHash.parse(hash(plan(request)));

    assertThat(works.runs.submit(request.requiring(PlanHash.parse("0123456789ab"))))
        .isEqualTo(new SubmitOutcome.PlanChanged(
            new RunRefusal.PlanChanged("sha256:" + hash.digits(), List.of())));
    assertThat(works.store.calls()).noneMatch(call -> call.startsWith("begin"));
    assertThat(works.isLocked("prod")).isFalse();
    assertThat(works.accepted(request.requiring(hash)).await().requestId()).isEqualTo(new RequestId("r1"));
    works.with(IntentBuilder.mutate("deploy").lock("prod").step("one", "false"));
    assertThat(works.runs.submit(request.requiring(hash))).isInstanceOfSatisfying(SubmitOutcome.Accepted.class,
        accepted -> assertThat(accepted.replayed()).isTrue());
    assertThat(works.runs.submit(TestExecutor.request("deploy", "r2").requiring(hash)))
        .isInstanceOf(SubmitOutcome.PlanChanged.class);
  }

  private static String hash(Plan plan) {
    return plan.document().hash();
  }
}
