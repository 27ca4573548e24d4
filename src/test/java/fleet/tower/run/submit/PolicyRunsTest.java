package fleet.tower.run.submit;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.access.Role;
import fleet.tower.approval.ApprovalRule;
import fleet.tower.approval.ApprovalTerms;
import fleet.tower.audit.AuditEvent;
import fleet.tower.intent.CronExpression;
import fleet.tower.intent.Parameter;
import fleet.tower.intent.Values;
import fleet.tower.lease.Actor;
import fleet.tower.lease.Decision;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.Halt;
import fleet.tower.policy.Policy;
import fleet.tower.policy.Quota;
import fleet.tower.policy.TimeRule;
import fleet.tower.policy.ValueRule;
import fleet.tower.policy.Window;
import fleet.tower.run.Processes;
import fleet.tower.run.Run;
import fleet.tower.run.RunRefusal;
import fleet.tower.run.RunStatus;
import fleet.tower.run.execute.LockTerms;
import fleet.tower.run.execute.RunHandle;

@DisplayName("Runs under the policy of a home")
class PolicyRunsTest {
  private static final LockTerms PATIENT = new LockTerms(false, Duration.ofHours(2));
  private static final String CRON = "0 * * * * *";

  @AutoClose
  private final TestExecutor works;
  private final List<RequestId> backlog = new ArrayList<>();
  private final QueuedRuns queue;

  PolicyRunsTest(@TempDir Path directory) {
    works = new TestExecutor(directory.resolve("locks"));
    works.with(IntentBuilder.mutate("deploy").lock("prod").step("one", "true"),
        IntentBuilder.observe("look").step("one", "true"));
    works.processes.plan("one", new Processes.Exited(0));
    queue = works.runs.queued(new QueuedRuns.Backlog() {
      @Override
      public void put(RequestId requestId, Run.@Nullable Declaration declaration) {
        backlog.add(requestId);
      }

      @Override
      public long size() {
        return backlog.size();
      }

      @Override
      public Set<String> addressed() {
        return Set.of();
      }
    });
  }

  /** A window of half a minute that begins with each minute. */
  private static TimeRule closed(Halt.Scope scope) {
    return new TimeRule("each-minute", false, scope,
        new Window(CRON, CronExpression.written(CRON), ZoneOffset.UTC, Duration.ofSeconds(30)), "not now");
  }

  private void close(Policy.Mode mode) {
    works.policy = new Policy(mode, List.of(closed(Halt.Scope.ALL)), List.of());
    Instant now = works.time.now();
    Instant minute = new Window(CRON, CronExpression.written(CRON), ZoneOffset.UTC, Duration.ofSeconds(30))
        .beginAfter(now).orElseThrow();
    works.time.advance(Duration.between(now, minute));
  }

  @Test
  @DisplayName("Outside its window nothing begins or is recorded, with or without a lock, at once or in the queue")
  void refused() {
    close(Policy.Mode.ENFORCE);
    Decision.WindowClosed why = new Decision.WindowClosed("each-minute", "not now", works.time.now().plusSeconds(30));
    for (String intent : List.of("deploy", "look")) {
      assertThat(works.runs.submit(TestExecutor.request(intent, "r1"))).isEqualTo(new SubmitOutcome.Barred(why));
      assertThat(works.runs.submit(TestExecutor.request(intent, "r1", PATIENT)))
          .isEqualTo(new SubmitOutcome.Barred(why));
      assertThat(queue.enqueue(TestExecutor.request(intent, "r1"))).isEqualTo(new SubmitOutcome.Barred(why));
    }
    assertThat(backlog).isEmpty();
    assertThat(works.runs.find(new RequestId("r1"))).isEmpty();
    works.time.advance(Duration.ofSeconds(30));
    assertThat(works.accepted(TestExecutor.request("deploy", "r1")).await().status()).isEqualTo(RunStatus.SUCCEEDED);
  }

  @Test
  @DisplayName("A run that waits for its lock until the window closes is refused when its turn comes")
  void refusedAfterWait() {
    works.hold("prod", "bob-1");
    RunHandle waiting = works.accepted(TestExecutor.request("deploy", "r2", PATIENT));
    works.awaitWaiter("prod");
    close(Policy.Mode.ENFORCE);
    works.delete("prod");
    works.time.advance(Duration.ofSeconds(2));
    Run run = waiting.await();
    assertThat(run.status()).isEqualTo(RunStatus.REFUSED);
    assertThat(run.refusal()).isInstanceOf(RunRefusal.Barred.class);
    assertThat(run.begun()).isEmpty();
  }

  @Test
  @DisplayName("A policy that is only observed refuses nothing, and records each rule once for a request")
  void observed() {
    close(Policy.Mode.OBSERVE);
    assertThat(works.accepted(TestExecutor.request("deploy", "r1")).await().status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(works.audit.events()).filteredOn(AuditEvent.WouldRefuse.class::isInstance).singleElement()
        .isInstanceOfSatisfying(AuditEvent.WouldRefuse.class, event -> {
          assertThat(event.requestId()).isEqualTo(new RequestId("r1"));
          assertThat(event.rule()).isEqualTo("each-minute");
          assertThat(event.kind()).isEqualTo("window");
        });
  }

  @Test
  @DisplayName("A queued run is judged by the values that are allowed when it begins, with the role of its request")
  void valuesOfQueued() {
    assertThat(queue.enqueue(deploy("r1", "rent").of(Role.AGENT, "alice")))
        .isInstanceOf(SubmitOutcome.Accepted.class);
    assertThat(queue.enqueue(deploy("r2", "rent").of(Role.OPERATOR, "alice")))
        .isInstanceOf(SubmitOutcome.Accepted.class);
    works.policy = new Policy(Policy.Mode.ENFORCE, List.of(), List.of(new ValueRule("apps", Halt.Scope.ALL,
        Map.of("app", new Parameter.Limits(null, List.of("money", "shop"), null, null)), Set.of(Role.OPERATOR))));
    for (String id : List.of("r1", "r2")) {
      assertThat(queue.take(new RequestId(id))).isInstanceOf(QueuedRuns.TakeOutcome.Taken.class);
      works.runs.find(new RequestId(id)).orElseThrow().await();
    }
    Run refused = works.store.find(new RequestId("r1")).orElseThrow();
    assertThat(refused.status()).isEqualTo(RunStatus.REFUSED);
    assertThat(refused.refusal()).isEqualTo(new RunRefusal.NotAllowed("apps",
        List.of(new Values.Problem("/params/app", "must be one of money, shop, not 'rent'"))));
    assertThat(works.locks.view(new LeaseName("prod")).state().toString()).isEqualTo("free");
    assertThat(works.store.find(new RequestId("r2")).orElseThrow().status()).isEqualTo(RunStatus.SUCCEEDED);
  }

  @Test
  @DisplayName("A value beyond a limit is refused, but not to an excepted role")
  void values() {
    works.policy = new Policy(Policy.Mode.ENFORCE, List.of(), List.of(new ValueRule("apps", Halt.Scope.ALL,
        Map.of("app", new Parameter.Limits(null, List.of("money", "shop"), null, null)),
        Set.of(Role.OPERATOR))));
    assertThat(works.runs.submit(deploy("r1", "rent").of(Role.AGENT, "alice"))).isEqualTo(new SubmitOutcome.NotAllowed(
        new Policy.NotAllowed("apps",
            List.of(new Values.Problem("/params/app", "must be one of money, shop, not 'rent'")))));
    assertThat(queue.enqueue(deploy("r1", "rent"))).isInstanceOf(SubmitOutcome.NotAllowed.class);
    assertThat(works.accepted(deploy("r2", "shop").of(Role.AGENT, "alice")).await().status())
        .isEqualTo(RunStatus.SUCCEEDED);
    assertThat(works.accepted(deploy("r3", "rent").of(Role.OPERATOR, "alice")).await().status())
        .isEqualTo(RunStatus.SUCCEEDED);
  }

  private static Policy locks(Policy.Mode mode, int most) {
    return new Policy(mode, List.of(), List.of(), List.of(new Quota("few", Halt.Scope.ALL, null, null, most, true)),
        List.of(),
        List.of());
  }

  @Test
  @DisplayName("A run beyond the locks of a quota is refused; one that waits in the queue begins when one is released")
  void locks() {
    works.hold("other", "bob-1");
    assertThat(queue.enqueue(TestExecutor.request("deploy", "r1"))).isInstanceOf(SubmitOutcome.Accepted.class);
    works.policy = locks(Policy.Mode.ENFORCE, 1);
    Decision.LimitReached why = new Decision.LimitReached("few", 1);
    assertThat(works.runs.submit(TestExecutor.request("deploy", "r2"))).isEqualTo(new SubmitOutcome.Barred(why));
    assertThat(works.accepted(TestExecutor.request("look", "r3")).await().status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(queue.take(new RequestId("r1"))).isEqualTo(new QueuedRuns.TakeOutcome.Barred());
    works.delete("other");
    assertThat(queue.take(new RequestId("r1"))).isInstanceOf(QueuedRuns.TakeOutcome.Taken.class);
    assertThat(works.runs.find(new RequestId("r1")).orElseThrow().await().status()).isEqualTo(RunStatus.SUCCEEDED);
  }

  @Test
  @DisplayName("A run that waits for its lock is refused when its turn comes and others are held; nothing was executed")
  void locksAfterWait() {
    works.hold("prod", "bob-1");
    RunHandle waiting = works.accepted(TestExecutor.request("deploy", "r2", PATIENT));
    works.awaitWaiter("prod");
    works.hold("other", "bob-2");
    works.policy = locks(Policy.Mode.ENFORCE, 1);
    works.delete("prod");
    works.time.advance(Duration.ofSeconds(2));
    Run run = waiting.await();
    assertThat(run.status()).isEqualTo(RunStatus.REFUSED);
    assertThat(run.refusal()).isEqualTo(new RunRefusal.Barred(new Decision.LimitReached("few", 1)));
    assertThat(run.begun()).isEmpty();
    assertThat(works.locks.view(new LeaseName("prod")).isFree()).isTrue();
  }

  @Test
  @DisplayName("Locks beyond a quota that is only observed are granted, and recorded")
  void observedLocks() {
    works.policy = locks(Policy.Mode.OBSERVE, 1);
    works.hold("other", "bob-1");
    assertThat(works.audit.events()).noneMatch(AuditEvent.WouldRefuse.class::isInstance);
    works.hold("more", "bob-2");
    assertThat(works.accepted(TestExecutor.request("deploy", "r1")).await().status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(works.audit.events()).filteredOn(AuditEvent.WouldRefuse.class::isInstance)
        .extracting(event -> ((AuditEvent.WouldRefuse) event).requestId().value()).containsExactly("bob-2", "r1");
  }

  @Test
  @DisplayName("Of 1,000 requests under a policy that is only observed none is refused; it records what would be refused "
      + "if it were enforced")
  void verdicts() {
    Random random = new Random(33);
    Halt.Scope ofBots = Halt.Scope.of(List.of("bot-1", "bot-2"), List.of("deploy"), List.of());
    List<Policy.ApprovalNeed> needs = List.of(new Policy.ApprovalNeed("asked", ofBots,
        new ApprovalRule(Map.of("app", List.of("shop")),
            new ApprovalTerms(1, List.of(), ApprovalTerms.WITHIN, ApprovalTerms.VALID))));
    List<TimeRule> windows = List.of(closed(Halt.Scope.of(List.of("bot-*"), List.of(), List.of())));
    List<ValueRule> values = List.of(new ValueRule("apps", ofBots,
        Map.of("app", new Parameter.Limits(null, List.of("money", "shop"), null, null)), Set.of()));
    works.policy = new Policy(Policy.Mode.OBSERVE, needs, windows, values);
    Policy enforced = new Policy(Policy.Mode.ENFORCE, needs, windows, values);
    int refused = 0;
    for (int i = 0; i < 1000; i++) {
      String id = "r" + i;
      String actor = List.of("bot-1", "bot-2", "bot-3", "ann").get(random.nextInt(4));
      String app = List.of("money", "shop", "rent").get(random.nextInt(3));
      RunRequest plain = deploy(id, app);
      RunRequest request = new RunRequest("deploy", plain.params(), plain.requestId(), null,
          new Run.Origin(new Actor(actor, null, null), "{}", null), plain.terms(), null, null).of(Role.AGENT, actor);
      Halt.Subject subject = Halt.Subject.of(request.origin().actor(), "deploy", new LeaseName("prod"));
      Map<String, String> given = Map.of("app", app);
      List<String> expected = Stream.of(
          enforced.objections(subject, null, works.time.now()).stream().map(Policy.Objection::rule),
          enforced.approvals(subject, IntentBuilder.mutate("deploy").intent(), given).stream()
              .map(Policy.ApprovalNeed::name),
          ofBots.covers(subject) && app.equals("rent") ? Stream.of("apps") : Stream.<String>of())
          .flatMap(rules -> rules).toList();
      assertThat(works.accepted(request).await().status()).isEqualTo(RunStatus.SUCCEEDED);
      assertThat(works.audit.events().stream().filter(AuditEvent.WouldRefuse.class::isInstance)
          .map(AuditEvent.WouldRefuse.class::cast).filter(event -> event.requestId().value().equals(id))
          .map(AuditEvent.WouldRefuse::rule)).containsExactlyInAnyOrderElementsOf(expected);
      refused += expected.isEmpty() ? 0 : 1;
      works.time.advance(Duration.ofSeconds(random.nextInt(40)));
    }
    assertThat(refused).isBetween(200, 900);
  }

  private static RunRequest deploy(String id, String app) {
    RunRequest plain = TestExecutor.request("deploy", id);
    return new RunRequest("deploy", Map.of("app", new Values.Given(app, Values.Given.Kind.STRING)),
        plain.requestId(), null, plain.origin(), plain.terms(), null, null);
  }
}
