package fleet.tower.run.submit;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.access.Role;
import fleet.tower.approval.Approval;
import fleet.tower.approval.ApprovalRule;
import fleet.tower.approval.ApprovalTerms;
import fleet.tower.approval.StandingApprovals;
import fleet.tower.approval.StandingApprovals.Standing;
import fleet.tower.approval.Vote;
import fleet.tower.audit.AuditEvent;
import fleet.tower.harness.Await;
import fleet.tower.intent.Effect;
import fleet.tower.intent.Values;
import fleet.tower.lease.Actor;
import fleet.tower.lease.Door;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.Halt;
import fleet.tower.policy.Policy;
import fleet.tower.run.Processes;
import fleet.tower.run.Run;
import fleet.tower.run.RunRefusal;
import fleet.tower.run.RunStatus;
import fleet.tower.run.execute.LockTerms;
import fleet.tower.run.submit.QueuedRuns.TakeOutcome;
import fleet.tower.run.submit.RunApprovals.Ballot;
import fleet.tower.run.submit.RunApprovals.Later;

@DisplayName("Runs that must be approved")
class ApprovedRunsTest {
  private static final RequestId R1 = new RequestId("r1");
  private static final ApprovalTerms ONE = new ApprovalTerms(1, List.of(), Duration.ofHours(1), Duration.ofMinutes(30));

  @AutoClose
  private final TestExecutor works;
  private final List<RequestId> backlog = new ArrayList<>();
  private final QueuedRuns queue;

  ApprovedRunsTest(@TempDir Path directory) {
    works = new TestExecutor(directory.resolve("locks"));
    works.with(IntentBuilder.mutate("deploy").lock("prod").step("one", "true")
        .approve(new ApprovalRule(Map.of(), ONE)));
    works.processes.plan("one", new Processes.Exited(0));
    queue = queueOf(works.runs);
  }

  private QueuedRuns queueOf(Runs runs) {
    return runs.queued(new QueuedRuns.Backlog() {
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

  private Run submitted(RunRequest request) {
    Run run = works.accepted(request).run();
    assertThat(run.status()).isEqualTo(RunStatus.AWAITING_APPROVAL);
    return run;
  }

  private Run stored(RequestId id) {
    return works.store.find(id).orElseThrow();
  }

  private static String hash(Run run) {
    return Objects.requireNonNull(run.approval()).planHash();
  }

  private static Ballot ballot(String who, boolean approves, @Nullable String hash, @Nullable Later later) {
    return new Ballot(new Actor(who, Door.HTTP), who, approves, hash == null ? null : PlanHash.parse(hash), "seen",
        later);
  }

  private RunApprovals.Outcome approve(RequestId id, String who) {
    return works.runs.approvals().vote(id, ballot(who, true, hash(stored(id)), null));
  }

  private Run taken(RequestId id) {
    assertThat(queue.take(id)).isInstanceOf(TakeOutcome.Taken.class);
    return works.runs.find(id).orElseThrow().await();
  }

  private Run refused(RequestId id) {
    return switch (queue.take(id)) {
      case TakeOutcome.Taken(var handle, var _) -> handle.await();
      case TakeOutcome.Done() -> stored(id);
      case TakeOutcome other -> throw new AssertionError("not ended: " + other);
    };
  }

  @Test
  @DisplayName("A run waits without a lock and without a place in the queue; with the vote it begins as any queued run")
  void approved() {
    Run waiting = submitted(TestExecutor.request("deploy", "r1"));
    assertThat(works.locks.view(new LeaseName("prod")).state().toString()).isEqualTo("free");
    assertThat(backlog).isEmpty();
    assertThat(queue.take(R1)).isInstanceOf(TakeOutcome.class);
    assertThat(stored(R1).status()).isEqualTo(RunStatus.AWAITING_APPROVAL);
    assertThat(Objects.requireNonNull(waiting.approval()).requesters()).containsExactly("alice");

    assertThat(approve(R1, "ada")).isInstanceOfSatisfying(RunApprovals.Voted.class,
        voted -> assertThat(voted.run().status()).isEqualTo(RunStatus.WAITING));
    assertThat(backlog).containsExactly(R1);
    Run run = taken(R1);
    assertThat(run.status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(Objects.requireNonNull(stored(R1).approval()).state()).isEqualTo(Approval.State.APPROVED);
    assertThat(works.audit.events()).filteredOn(AuditEvent.RunApprovalRequested.class::isInstance).hasSize(1);
    assertThat(works.audit.events()).filteredOn(AuditEvent.RunApproved.class::isInstance).singleElement()
        .isInstanceOfSatisfying(AuditEvent.RunApproved.class, event -> {
          assertThat(event.ballot().principal()).isEqualTo("ada");
          assertThat(event.ballot().planHash()).isEqualTo(hash(waiting));
        });
    assertThat(approve(R1, "ada")).as("a repeated vote changes nothing").isInstanceOfSatisfying(
        RunApprovals.Voted.class, voted -> assertThat(voted.isRepeated()).isTrue());
  }

  @Test
  @DisplayName("Its requester, and a voter who was shown another plan, are not counted; the same request joins the run")
  void notCounted() {
    submitted(TestExecutor.request("deploy", "r1"));
    assertThat(approve(R1, "alice")).isInstanceOfSatisfying(RunApprovals.NotVoted.class,
        no -> assertThat(no.why()).isEqualTo(new Approval.OwnRequest()));
    assertThat(works.runs.approvals().vote(R1, ballot("ada", true, "sha256:" + "0".repeat(64), null)))
        .isInstanceOfSatisfying(RunApprovals.NotVoted.class,
            no -> assertThat(no.why()).isEqualTo(new Approval.OtherPlan()));
    assertThat(works.runs.approvals().vote(new RequestId("r9"), ballot("ada", false, null, null)))
        .isEqualTo(new RunApprovals.NotFound());
    assertThat(works.runs.submit(TestExecutor.request("deploy", "r1"))).isInstanceOfSatisfying(
        SubmitOutcome.Accepted.class, again -> assertThat(again.replayed()).isTrue());
    assertThat(stored(R1).status()).isEqualTo(RunStatus.AWAITING_APPROVAL);
  }

  @Test
  @DisplayName("One rejection refuses it for good, with who and why; only a request with another id asks for approval again")
  void rejected() {
    submitted(TestExecutor.request("deploy", "r1"));
    works.runs.approvals().vote(R1, ballot("ada", false, null, null));
    Run run = stored(R1);
    assertThat(run.status()).isEqualTo(RunStatus.REFUSED);
    assertThat(run.refusal()).isEqualTo(new RunRefusal.ApprovalRejected("ada", "seen"));
    assertThat(approve(R1, "bob")).isInstanceOfSatisfying(RunApprovals.NotVoted.class,
        no -> assertThat(no.why()).isEqualTo(new Approval.Closed(Approval.State.REJECTED)));
    for (SubmitOutcome again : List.of(works.runs.submit(TestExecutor.request("deploy", "r1")),
        queue.enqueue(TestExecutor.request("deploy", "r1")))) {
      assertThat(again).isInstanceOfSatisfying(SubmitOutcome.Accepted.class, it -> {
        assertThat(it.replayed()).isTrue();
        assertThat(it.handle().run()).isEqualTo(run);
      });
    }
    assertThat(works.audit.events()).filteredOn(AuditEvent.RunApprovalRequested.class::isInstance).hasSize(1);
    submitted(TestExecutor.request("deploy", "r2"));
  }

  @Test
  @DisplayName("Nobody's vote is a refusal when the time is over, and so is a start that comes too late")
  void expired() {
    submitted(TestExecutor.request("deploy", "r1"));
    works.time.advance(Duration.ofHours(1));
    assertThat(approve(R1, "ada")).isInstanceOfSatisfying(RunApprovals.NotVoted.class,
        no -> assertThat(no.why()).isEqualTo(new Approval.Closed(Approval.State.EXPIRED)));
    assertThat(stored(R1).refusal()).isEqualTo(new RunRefusal.ApprovalExpired(0, 1));

    RequestId late = new RequestId("r2");
    submitted(TestExecutor.request("deploy", "r2"));
    approve(late, "ada");
    works.time.advance(Duration.ofMinutes(30));
    Run run = refused(late);
    assertThat(run.refusal()).isEqualTo(new RunRefusal.ApprovalExpired(1, 1));
    assertThat(run.begun()).isEmpty();
    assertThat(works.runs.approvals().list(Approval.State.EXPIRED, 10)).hasSize(2);
    assertThat(works.audit.events()).filteredOn(AuditEvent.RunApprovalExpired.class::isInstance).hasSize(2);
    submitted(TestExecutor.request("deploy", "r1"));
  }

  @Test
  @DisplayName("An approved run that would do something else, or for which the rules have become stricter, never begins")
  void changed() {
    submitted(TestExecutor.request("deploy", "r1"));
    approve(R1, "ada");
    works.policy = new Policy(Policy.Mode.ENFORCE, List.of(new Policy.ApprovalNeed("two", Halt.Scope.ALL,
        new ApprovalRule(Map.of(), new ApprovalTerms(2, List.of(), Duration.ofHours(1), Duration.ofMinutes(30))))),
        List.of(), List.of());
    Run run = refused(R1);
    assertThat(run.refusal()).isInstanceOfSatisfying(RunRefusal.PlanChanged.class,
        change -> assertThat(change.changed()).containsExactly("approve"));
    assertThat(works.locks.view(new LeaseName("prod")).state().toString()).isEqualTo("free");

    works.policy = Policy.NONE;
    RequestId second = new RequestId("r2");
    submitted(TestExecutor.request("deploy", "r2"));
    approve(second, "ada");
    works.onReread = () -> works.with(IntentBuilder.mutate("deploy").lock("prod").step("one", "false")
        .approve(new ApprovalRule(Map.of(), ONE)));
    assertThat(refused(second).refusal()).isInstanceOf(RunRefusal.PlanChanged.class);
    assertThat(stored(second).begun()).isEmpty();
  }

  @Test
  @DisplayName("Of 200 approved runs none begins whose probe sees another state at its start than the voter was shown")
  void flipped() {
    AtomicInteger state = new AtomicInteger();
    works.processes.world(() -> "{\"version\":" + state.get() + "}");
    works.with(IntentBuilder.mutate("deploy").lock("prod").step("one", "true").desiring(Map.of())
        .approve(new ApprovalRule(Map.of(), ONE)));
    for (int round = 1; round <= 200; round++) {
      RequestId id = new RequestId("round-" + round);
      submitted(TestExecutor.request("deploy", id.value()));
      approve(id, "ada");
      boolean isSame = round % 10 == 0;
      state.addAndGet(isSame ? 0 : 1);

      Run run = isSame ? taken(id) : refused(id);

      assertThat(run.status()).isEqualTo(isSame ? RunStatus.SUCCEEDED : RunStatus.REFUSED);
      if (!isSame) {
        assertThat(run.begun()).isEmpty();
        assertThat(run.refusal()).isInstanceOfSatisfying(RunRefusal.PlanChanged.class,
            change -> assertThat(change.changed()).containsExactly("probe"));
      }
    }
    assertThat(works.isLocked("prod")).isFalse();
  }

  @Test
  @DisplayName("The strictest of the rules of its intent and of the policy counts, in the queue as well")
  void strictest() {
    works.policy = new Policy(Policy.Mode.ENFORCE, List.of(new Policy.ApprovalNeed("two", Halt.Scope.ALL,
        new ApprovalRule(Map.of("app", List.of("money")), new ApprovalTerms(2, List.of(), Duration.ofMinutes(10),
            Duration.ofHours(3))))),
        List.of(), List.of());
    assertThat(queue.enqueue(TestExecutor.request("deploy", "r1"))).isInstanceOf(SubmitOutcome.Accepted.class);
    ApprovalTerms terms = Objects.requireNonNull(stored(R1).approval()).terms();
    assertThat(terms).isEqualTo(new ApprovalTerms(2, List.of(), Duration.ofMinutes(10), Duration.ofMinutes(30)));
    approve(R1, "ada");
    assertThat(stored(R1).status()).isEqualTo(RunStatus.AWAITING_APPROVAL);
    approve(R1, "bob");
    assertThat(taken(R1).status()).isEqualTo(RunStatus.SUCCEEDED);
  }

  /** Writes a record as somebody does who has no key. */
  private void forge(RequestId id, Vote vote, RunStatus status) {
    assertThat(works.store.changeAwaiting(id, run -> {
      Approval open = Objects.requireNonNull(run.approval());
      return run.withStatus(status).withApproval(new Approval(open.terms(), open.planHash(), open.requesters(),
          open.requestedAt(), List.of(vote), status == RunStatus.WAITING ? Approval.State.APPROVED : open.state(),
          status == RunStatus.WAITING ? vote.at() : null));
    })).isPresent();
  }

  @Test
  @DisplayName("A vote that was written into the record, or taken from another run with the same plan, begins nothing")
  void forged() {
    RequestId other = new RequestId("r2");
    submitted(TestExecutor.request("deploy", "r1"));
    submitted(TestExecutor.request("deploy", "r2"));
    approve(other, "ada");
    Vote genuine = Objects.requireNonNull(stored(other).approval()).votes().getFirst();
    assertThat(hash(stored(R1))).isEqualTo(hash(stored(other)));
    forge(R1, genuine, RunStatus.WAITING);
    assertThat(refused(R1).refusal()).isInstanceOfSatisfying(RunRefusal.PlanChanged.class,
        change -> assertThat(change.changed()).containsExactly("votes"));
    assertThat(stored(R1).begun()).isEmpty();
    assertThat(taken(other).status()).as("the run of the vote").isEqualTo(RunStatus.SUCCEEDED);

    RequestId third = new RequestId("r3");
    works.policy = new Policy(Policy.Mode.ENFORCE, List.of(new Policy.ApprovalNeed("two", Halt.Scope.ALL,
        new ApprovalRule(Map.of(), new ApprovalTerms(2, List.of(), Duration.ofHours(1), Duration.ofHours(1))))),
        List.of(), List.of());
    submitted(TestExecutor.request("deploy", "r3"));
    forge(third, new Vote("ada", "ada", null, true, null, works.time.now(), null, "hmac:" + "0".repeat(64)),
        RunStatus.AWAITING_APPROVAL);
    approve(third, "bob");
    assertThat(stored(third).status()).as("a forged vote is not one of two").isEqualTo(RunStatus.AWAITING_APPROVAL);
    approve(third, "ada");
    assertThat(taken(third).status()).isEqualTo(RunStatus.SUCCEEDED);
  }

  @Test
  @DisplayName("An approval for later runs counts only as it was given")
  void forgedStanding() {
    submitted(TestExecutor.request("deploy", "r1"));
    works.runs.approvals().vote(R1, ballot("ada", true, hash(stored(R1)), new Later(Duration.ofHours(2), 2)));
    StandingApprovals standing = works.store.standingApprovals();
    Standing given = works.runs.approvals().standing().getFirst();
    standing.put(new Standing(given.run(), given.planHash(), given.principal(), given.token(),
        given.until().plusSeconds(1), 9, given.seal()));
    assertThat(works.runs.approvals().standing()).isEmpty();
    submitted(TestExecutor.request("deploy", "r2"));
    standing.put(given);
    assertThat(works.accepted(TestExecutor.request("deploy", "r3")).run().status()).isEqualTo(RunStatus.WAITING);
  }

  @Test
  @DisplayName("A rule by effect holds what nobody knows how to undo, and a word of the operator after the vote counts")
  void byEffect() {
    works.with(IntentBuilder.mutate("plain").lock("prod").step("one", "true"));
    Policy.ApprovalNeed need = new Policy.ApprovalNeed("final", Halt.Scope.ALL, Effect.EXTERNAL,
        new ApprovalRule(Map.of(), ONE));
    Policy.EffectRule light = new Policy.EffectRule("light", Halt.Scope.ALL, Effect.REVERSIBLE);
    works.policy = new Policy(Policy.Mode.ENFORCE, List.of(light), List.of(need), List.of(), List.of(), List.of());
    assertThat(works.accepted(TestExecutor.request("plain", "r1")).await().status()).isEqualTo(RunStatus.SUCCEEDED);
    works.policy = new Policy(Policy.Mode.ENFORCE, List.of(), List.of(need), List.of(), List.of(), List.of());
    RequestId second = new RequestId("r2");
    submitted(TestExecutor.request("plain", "r2"));
    approve(second, "ada");
    works.policy = new Policy(Policy.Mode.ENFORCE,
        List.of(new Policy.EffectRule("hard", Halt.Scope.ALL, Effect.IRREVERSIBLE)), List.of(need), List.of(),
        List.of(), List.of());
    assertThat(refused(second).refusal()).isInstanceOfSatisfying(RunRefusal.PlanChanged.class,
        change -> assertThat(change.changed()).containsExactly("effect"));
  }

  @Test
  @DisplayName("A policy that is only observed holds no run, and records each rule that would have asked")
  void observed() {
    works.policy = new Policy(Policy.Mode.OBSERVE, List.of(new Policy.ApprovalNeed("two", Halt.Scope.ALL,
        new ApprovalRule(Map.of(), ONE))), List.of(), List.of());
    assertThat(works.accepted(TestExecutor.request("deploy", "r1")).await().status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(works.audit.events()).filteredOn(AuditEvent.WouldRefuse.class::isInstance)
        .extracting(event -> ((AuditEvent.WouldRefuse) event).rule()).containsExactlyInAnyOrder("intent", "two");
  }

  @Test
  @DisplayName("An approval for later runs is good for as many as it says, not for requests of its giver, until revoked")
  void standing() {
    submitted(TestExecutor.request("deploy", "r1"));
    works.runs.approvals().vote(R1,
        ballot("ada", true, hash(stored(R1)), new Later(Duration.ofHours(2), 2)));
    assertThat(works.runs.approvals().standing()).singleElement()
        .usingRecursiveComparison().ignoringFields("seal")
        .isEqualTo(new Standing(R1, hash(stored(R1)), "ada", "ada", works.time.now().plus(Duration.ofHours(2)), 2, ""));
    assertThat(taken(R1).status()).isEqualTo(RunStatus.SUCCEEDED);
    for (String id : List.of("r2", "r3")) {
      assertThat(works.accepted(TestExecutor.request("deploy", id)).run().status()).isEqualTo(RunStatus.WAITING);
      assertThat(taken(new RequestId(id)).status()).isEqualTo(RunStatus.SUCCEEDED);
      assertThat(Objects.requireNonNull(stored(new RequestId(id)).approval()).votes()).singleElement()
          .satisfies(vote -> assertThat(vote.standing()).isEqualTo(R1));
    }
    assertThat(works.runs.approvals().standing()).as("used up").isEmpty();
    submitted(TestExecutor.request("deploy", "r4"));

    RequestId r4 = new RequestId("r4");
    works.runs.approvals().vote(r4, ballot("ada", true, hash(stored(r4)), new Later(Duration.ofHours(2), 5)));
    RunRequest own = TestExecutor.request("deploy", "r5");
    submitted(new RunRequest("deploy", own.params(), own.requestId(), null, own.origin(), own.terms(), null, null)
        .of(Role.AGENT, "ada"));
    assertThat(works.runs.approvals().vote(r4, ballot("bob", false, null, null)))
        .isInstanceOf(RunApprovals.Revoked.class);
    submitted(TestExecutor.request("deploy", "r6"));
  }

  @Test
  @DisplayName("Who approved a run that another person rejected cannot approve later ones with it")
  void standingOfRejected() {
    works.policy = new Policy(Policy.Mode.ENFORCE, List.of(new Policy.ApprovalNeed("two", Halt.Scope.ALL,
        new ApprovalRule(Map.of(), new ApprovalTerms(2, List.of(), Duration.ofHours(1), Duration.ofHours(1))))),
        List.of(), List.of());
    submitted(TestExecutor.request("deploy", "r1"));
    approve(R1, "ada");
    works.runs.approvals().vote(R1, ballot("bob", false, null, null));
    assertThat(approve(R1, "ada")).isInstanceOf(RunApprovals.Voted.class);
    assertThat(works.runs.approvals().vote(R1,
        ballot("ada", true, hash(stored(R1)), new Later(Duration.ofHours(2), 2)))).isInstanceOfSatisfying(
            RunApprovals.NotVoted.class,
            no -> assertThat(no.why()).isEqualTo(new Approval.Closed(Approval.State.REJECTED)));
    assertThat(works.runs.approvals().standing()).isEmpty();
  }

  @Test
  @DisplayName("Secrets stay in the memory of the process that got the request; no record has them, no other begins it")
  void secrets() {
    RunRequest plain = TestExecutor.request("deploy", "r1");
    RunRequest secret = new RunRequest("deploy", Map.of("key", new Values.Given("hunter2", Values.Given.Kind.STRING)),
        plain.requestId(), null, plain.origin(), plain.terms(), null, null);
    submitted(secret);
    assertThat(String.valueOf(stored(R1).header().order())).doesNotContain("hunter2");
    Runs other = works.executor("executor-2");
    QueuedRuns elsewhere = queueOf(other);
    assertThat(other.approvals().vote(R1, ballot("ada", true, hash(stored(R1)), null)))
        .isInstanceOf(RunApprovals.Voted.class);
    assertThat(elsewhere.take(R1)).isEqualTo(new TakeOutcome.NotHere());
    assertThat(works.runs.approvals().keepsSecretsOf(R1)).isTrue();
    assertThat(taken(R1).status()).isEqualTo(RunStatus.SUCCEEDED);
    Await.until("its secrets are forgotten", () -> !works.runs.approvals().keepsSecretsOf(R1));

    RequestId rejected = new RequestId("r3");
    submitted(new RunRequest("deploy", secret.params(), rejected, null, plain.origin(), plain.terms(), null, null));
    other.approvals().vote(rejected, ballot("ada", false, null, null));
    works.runs.approvals().expire();
    assertThat(works.runs.approvals().keepsSecretsOf(rejected)).as("rejected through another process").isFalse();

    RequestId lost = new RequestId("r2");
    submitted(new RunRequest("deploy", secret.params(), lost, null, plain.origin(), plain.terms(), null, null));
    other.approvals().vote(lost, ballot("ada", true, hash(stored(lost)), null));
    works.deadExecutors.add("executor-1");
    assertThat(elsewhere.take(lost)).isEqualTo(new TakeOutcome.Done());
    assertThat(stored(lost).refusal()).isEqualTo(new RunRefusal.SecretsLost(List.of("key")));
  }

  @Test
  @DisplayName("A run that waits for approval is cancelled at once, and survives the end of the process that got it")
  void cancelled() {
    submitted(TestExecutor.request("deploy", "r1"));
    works.deadExecutors.add("executor-1");
    assertThat(works.executor("executor-2").recover()).isEmpty();
    assertThat(works.runs.cancel(R1)).isEqualTo(new Runs.CancelOutcome.Requested());
    assertThat(stored(R1).status()).isEqualTo(RunStatus.CANCELLED);
    assertThat(works.runs.approvals().list(Approval.State.OPEN, 10)).isEmpty();
  }

  @Test
  @DisplayName("The time that it may begin in covers the wait for its lock")
  void waitsForItsLock() {
    submitted(TestExecutor.request("deploy", "r1", new LockTerms(false, Duration.ofHours(5))));
    approve(R1, "ada");
    works.hold("prod", "bob-1");
    assertThat(queue.take(R1)).isInstanceOf(TakeOutcome.Taken.class);
    works.awaitWaiter("prod");
    works.time.advance(Duration.ofMinutes(31));
    Run run = works.runs.find(R1).orElseThrow().await();
    assertThat(run.status()).isEqualTo(RunStatus.REFUSED);
    assertThat(run.begun()).isEmpty();
  }
}
