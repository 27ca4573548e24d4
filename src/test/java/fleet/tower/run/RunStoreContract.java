package fleet.tower.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.approval.Approval;
import fleet.tower.approval.ApprovalTerms;
import fleet.tower.approval.StandingApprovals;
import fleet.tower.approval.StandingApprovals.Standing;
import fleet.tower.approval.Vote;
import fleet.tower.harness.Extent;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.ConcurrentCalls;
import fleet.tower.lock.Halt;
import fleet.tower.platform.list.PageWalk;
import fleet.tower.policy.Quota;
import fleet.tower.policy.RefusalStore;
import fleet.tower.run.RunStore.Different;
import fleet.tower.run.RunStore.New;
import fleet.tower.run.RunStore.OverQuota;
import fleet.tower.run.RunStore.Prior;
import fleet.tower.run.RunStore.Query;
import fleet.tower.run.RunStore.RequestKey;
import fleet.tower.run.RunStore.Same;
import fleet.tower.run.RunStore.Unfinished;

/** The contract of every run store; each store has a test that extends this one. */
public abstract class RunStoreContract extends RunOwnerContract {
  private static final int LISTED = Extent.of(500, 2_500, 2_500);
  private static final int PAGE = LISTED * 3 / 25;
  private static final Query ALL = Query.of(null, null, 100);

  /** One more store on the same data, as in another process; the test closes it. */
  protected abstract RunStore another();

  private static RequestKey claim(String id, String key, String digest) {
    return new RequestKey(new RequestId(id), "anna", key, digest);
  }

  @Test
  @DisplayName("An empty store knows nothing")
  void knowsNothing() {
    assertThat(store().look(Runs.claim("r", "key"))).isEqualTo(new New());
    assertThat(store().find(new RequestId("r"))).isEmpty();
    assertThat(store().list(ALL)).isEmpty();
    assertThat(store().unfinished()).isEmpty();
    assertThat(store().interrupt(new RequestId("r"), HERE, Runs.NOON)).isEmpty();
  }

  @Test
  @DisplayName("A recorded run is found unchanged, also by other processes")
  void begins() {
    assertThat(begin("r")).isEqualTo(new New());

    assertThat(found("r")).isEqualTo(Runs.waiting("r"));
    assertThat(store().unfinished()).containsExactly(new Unfinished(new RequestId("r"), HERE));
    try (RunStore another = another()) {
      assertThat(another.find(new RequestId("r"))).contains(Runs.waiting("r"));
      assertThat(another.look(Runs.claim("r"))).isEqualTo(new Same(Runs.waiting("r")));
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @DisplayName("Every part of a run is kept, whatever its texts contain: NUL, unpaired surrogates, quotes, nothing, "
      + "70,000 characters")
  void keepsEverything(boolean durable) {
    Run full = Runs.full("r");
    RequestKey claim = new RequestKey(full.requestId(), full.header().origin().actor().name(), "key \0 \ud800",
        "digest \0");
    store().begin(claim, full, "executor \0 \udfff \\u0000");
    assertThat(found("r")).isEqualTo(full);
    store().forget(full.requestId());

    store().begin(Runs.claim("r", "key"), Runs.waiting("r"), "executor \0 \udfff \\u0000 \\");
    assertThat(store().unfinished()).containsExactly(
        new Unfinished(full.requestId(), "executor \0 \udfff \\u0000 \\"));
    store().save(full, durable);
    assertThat(found("r")).isEqualTo(full);
  }

  @ParameterizedTest
  @EnumSource(RunStatus.class)
  @DisplayName("Every status is kept, and only finished ones count as finished")
  void keepsEveryStatus(RunStatus status) {
    begin("r");
    RunRefusal refusal = status == RunStatus.REFUSED ? Runs.TIMED_OUT : null;
    Run run = Runs.with(Runs.waiting("r"), status, refusal, Runs.waiting("r").progress(),
        status.isFinished() ? Runs.NOON : null);

    store().save(run, false);

    assertThat(found("r")).isEqualTo(run);
    assertThat(store().unfinished()).hasSize(status.isFinished() ? 0 : 1);
    for (RunStatus each : RunStatus.values()) {
      assertThat(store().list(Query.of(null, each, 10))).hasSize(each == status ? 1 : 0);
    }
  }

  private static Run awaiting(String id) {
    return Runs.waiting(id).withApproval(Approval.requested(
        new ApprovalTerms(2, List.of(), Duration.ofHours(1), Duration.ofMinutes(5)), "sha256:1", Set.of("anna"),
        Runs.NOON)).withStatus(RunStatus.AWAITING_APPROVAL);
  }

  private static Run voted(Run run, String who) {
    return run.approval() != null
        && run.approval().with(new Vote(who, who, null, true, null, Runs.NOON, null),
            true) instanceof Approval.Counted(Approval next)
                ? run.withApproval(next)
                    .withStatus(next.state() == Approval.State.OPEN ? run.status() : RunStatus.WAITING)
                : run;
  }

  @Test
  @DisplayName("A run that waits for approval belongs to nobody else, is found when its time is over, and is queued once "
      + "it is approved")
  void awaitsApproval() {
    store().begin(Runs.claim("r"), awaiting("r"), RunStore.APPROVAL);
    RequestId id = new RequestId("r");
    assertThat(found("r")).isEqualTo(awaiting("r"));
    assertThat(store().take(id, RunStore.QUEUE, HERE)).isEmpty();
    assertThat(store().approvals(null, 10)).containsExactly(awaiting("r"));
    assertThat(store().approvals(Approval.State.APPROVED, 10)).isEmpty();
    assertThat(store().openApprovals()).isEqualTo(1);
    assertThat(store().unapproved(Runs.NOON.plusSeconds(3599), 10)).isEmpty();
    assertThat(store().unapproved(Runs.NOON.plusSeconds(3600), 10)).containsExactly(id);

    assertThat(store().changeAwaiting(id, run -> run)).contains(awaiting("r"));
    store().changeAwaiting(id, run -> voted(run, "ada"));
    assertThat(store().changeAwaiting(id, run -> voted(run, "bob")).map(Run::status)).contains(RunStatus.WAITING);
    assertThat(store().unfinished()).containsExactly(new Unfinished(id, RunStore.QUEUE));
    assertThat(store().approvals(Approval.State.APPROVED, 10)).hasSize(1);
    assertThat(store().openApprovals()).isZero();
    assertThat(store().unapproved(Runs.NOON.plusSeconds(3600), 10)).isEmpty();
    assertThat(store().changeAwaiting(id, run -> voted(run, "carol"))).isEmpty();
    assertThat(store().take(id, RunStore.QUEUE, HERE).map(Run::approval)).isPresent();
  }

  @Test
  @DisplayName("Of votes at the same time, also through two stores, all count, and one of them is the last")
  void lastVotes() {
    try (RunStore other = another()) {
      for (int round = 0; round < Extent.of(10, 200, 200); round++) {
        String name = "r" + round;
        RequestId id = new RequestId(name);
        store().begin(Runs.claim(name), awaiting(name), RunStore.APPROVAL);
        List<ConcurrentCalls.Work<Boolean>> votes = new ArrayList<>();
        for (int voter = 0; voter < 4; voter++) {
          String who = "voter-" + voter;
          RunStore through = voter % 2 == 0 ? store() : other;
          votes.add(() -> through.changeAwaiting(id, run -> voted(run, who))
              .filter(run -> run.status() == RunStatus.WAITING).isPresent());
        }
        List<Boolean> last = ConcurrentCalls.call(votes);
        assertThat(last.stream().filter(it -> it)).as("transitions in round " + round).hasSize(1);
        assertThat(found(name).approval()).satisfies(
            approval -> assertThat(Objects.requireNonNull(approval).have()).isEqualTo(2));
      }
    }
  }

  private static Run requested(String id, String actor, Instant at) {
    return Runs.waiting(id, actor, at);
  }

  private static Prior begun(RunStore through, Run run, Quota quota) {
    return through.begin(new RequestKey(run.requestId(), run.actor().name(), null, "sha256:1"), run, HERE,
        List.of(quota));
  }

  @Test
  @DisplayName("Sixteen clients of two processes that request as fast as they can get exactly as many runs as a quota "
      + "allows")
  void exactlyTheQuota() {
    Quota quota = new Quota("bots", Halt.Scope.ALL, new Quota.Rate(20, Duration.ofHours(1)), null, null, true);
    try (RunStore other = another()) {
      List<ConcurrentCalls.Work<Integer>> clients = new ArrayList<>();
      for (int client = 0; client < 16; client++) {
        String name = "bot-" + client;
        RunStore through = client % 2 == 0 ? store() : other;
        clients.add(() -> {
          int admitted = 0;
          for (int i = 0; i < 4; i++) {
            Prior prior = begun(through, requested(name + "-" + i, name, Runs.NOON.plusSeconds(i)), quota);
            admitted += prior instanceof New ? 1 : 0;
          }
          return admitted;
        });
      }
      assertThat(ConcurrentCalls.call(clients).stream().mapToInt(it -> it).sum()).isEqualTo(20);
    }
    assertThat(store().list(Query.of(null, null, 100))).hasSize(20);
  }

  @Test
  @DisplayName("A quota counts each actor's runs, says when there is room, leaves out what was refused, and is no bar to a "
      + "repeated request")
  void quotaOfEachActor() {
    Quota two = new Quota("bots", Halt.Scope.of(List.of("an*"), List.of("deploy-app"), List.of()),
        new Quota.Rate(2, Duration.ofMinutes(10)), null, null, false);
    Run first = requested("r1", "anna", Runs.NOON);
    assertThat(begun(store(), first, two)).isEqualTo(new New());
    assertThat(begun(store(), requested("r2", "anna", Runs.NOON.plusSeconds(1)), two)).isEqualTo(new New());
    assertThat(begun(store(), requested("r3", "anna", Runs.NOON.plusSeconds(2)), two)).isEqualTo(new OverQuota(
        new Quota.Exceeded("bots", 2, Duration.ofMinutes(10), Runs.NOON.plusSeconds(600))));
    assertThat(store().find(new RequestId("r3"))).isEmpty();
    assertThat(begun(store(), first, two)).isEqualTo(new Same(first));
    assertThat(begun(store(), requested("r4", "andy", Runs.NOON.plusSeconds(2)), two)).isEqualTo(new New());
    assertThat(begun(store(), requested("r5", "anna", Runs.NOON.plusSeconds(600)), two)).isEqualTo(new New());
    store().save(requested("r5", "anna", Runs.NOON.plusSeconds(600)).refused(Runs.TIMED_OUT, Runs.NOON), true);
    assertThat(begun(store(), requested("r6", "anna", Runs.NOON.plusSeconds(600)), two)).isEqualTo(new New());
  }

  @Test
  @DisplayName("A quota of runs at the same time has room again when one has ended, and counts none that waits for approval")
  void concurrentQuota() {
    Quota one = new Quota("bots", Halt.Scope.ALL, null, 1, null, false);
    store().begin(Runs.claim("r0"), awaiting("r0"), RunStore.APPROVAL);
    assertThat(begun(store(), requested("r1", "anna", Runs.NOON), one)).isEqualTo(new New());
    assertThat(begun(store(), requested("r2", "anna", Runs.NOON), one))
        .isEqualTo(new OverQuota(new Quota.Exceeded("bots", 1, null, null)));
    assertThat(store().exceeded(requested("r2", "anna", Runs.NOON), List.of(one))).isPresent();
    store().save(found("r1").finished(RunStatus.SUCCEEDED, Runs.NOON), true);
    assertThat(store().exceeded(requested("r2", "anna", Runs.NOON), List.of(one))).isEmpty();
    assertThat(begun(store(), requested("r2", "anna", Runs.NOON), one)).isEqualTo(new New());
  }

  @Test
  @DisplayName("Approved runs wait for an executor while a quota has as many others at the same time, also when many take "
      + "them at once")
  void approvedUnderQuota() {
    Quota two = new Quota("bots", Halt.Scope.ALL, null, 2, null, true);
    assertThat(begun(store(), requested("busy", "anna", Runs.NOON), two)).isEqualTo(new New());
    List<ConcurrentCalls.Work<Boolean>> takers = new ArrayList<>();
    try (RunStore other = another()) {
      for (int i = 0; i < 6; i++) {
        String name = "r" + i;
        store().begin(Runs.claim(name), awaiting(name), RunStore.APPROVAL);
        store().changeAwaiting(new RequestId(name), run -> voted(run, "ada"));
        store().changeAwaiting(new RequestId(name), run -> voted(run, "bob"));
        RunStore through = i % 2 == 0 ? store() : other;
        takers.add(() -> through.take(new RequestId(name), RunStore.QUEUE, HERE, null, List.of(two)).isPresent());
      }
      assertThat(begun(store(), requested("new", "anna", Runs.NOON), two)).as("those approved go first")
          .isInstanceOf(OverQuota.class);
      assertThat(ConcurrentCalls.call(takers).stream().filter(it -> it)).hasSize(1);
    }
    RequestId taken = store().unfinished().stream().filter(it -> it.executor().equals(HERE))
        .map(Unfinished::requestId).filter(id -> !id.value().equals("busy")).findFirst().orElseThrow();
    RequestId next = new RequestId(taken.value().equals("r0") ? "r1" : "r0");
    assertThat(store().take(next, RunStore.QUEUE, HERE, null, List.of(two))).isEmpty();
    assertThat(store().take(taken, HERE, HERE, null, List.of(two))).as("it does not count itself").isPresent();
    store().save(found("busy").finished(RunStatus.SUCCEEDED, Runs.NOON), true);
    assertThat(store().take(next, RunStore.QUEUE, HERE, null, List.of(two))).isPresent();
  }

  @Test
  @DisplayName("An approval for later runs is used as often as it says, also by many at once, until it is over or revoked")
  void standingApprovals() {
    StandingApprovals standing = store().standingApprovals();
    Instant end = Runs.NOON.plusSeconds(60);
    Standing five = new Standing(new RequestId("r"), "sha256:1", "ada \0 \ud800", "token", end, 5, "hmac:1");
    standing.put(five);
    assertThat(standing.of("sha256:1", Runs.NOON)).containsExactly(five);
    assertThat(standing.of("sha256:2", Runs.NOON)).isEmpty();
    assertThat(standing.of("sha256:1", end)).isEmpty();
    Standing other = new Standing(new RequestId("s"), "sha256:2", "bob", "bob", end.minusSeconds(1), 1, "hmac:2");
    standing.put(other);
    assertThat(standing.inForce(Runs.NOON)).containsExactlyInAnyOrder(other, five);
    assertThat(standing.inForce(other.until())).containsExactly(five);
    assertThat(standing.use(other, Runs.NOON)).isTrue();
    assertThat(standing.inForce(Runs.NOON)).as("used up").containsExactly(five);
    try (RunStore second = another()) {
      List<ConcurrentCalls.Work<Boolean>> uses = IntStream.range(0, 8).<ConcurrentCalls.Work<Boolean>>mapToObj(
          i -> () -> (i % 2 == 0 ? standing : second.standingApprovals()).use(five, Runs.NOON))
          .toList();
      assertThat(ConcurrentCalls.call(uses).stream().filter(it -> it)).hasSize(5);
    }
    Standing again = new Standing(five.run(), "sha256:3", five.principal(), "other", end, 1, "hmac:3");
    standing.put(again);
    assertThat(standing.inForce(Runs.NOON)).as("for another plan").containsExactly(again);
    standing.put(five);
    assertThat(standing.use(five, end)).isFalse();
    assertThat(standing.revoke(new RequestId("r"))).isTrue();
    assertThat(standing.revoke(new RequestId("r"))).isFalse();
    assertThat(standing.use(five, Runs.NOON)).isFalse();
    standing.put(five);
    standing.discard(end);
    assertThat(standing.revoke(new RequestId("r"))).isFalse();
  }

  @Test
  @DisplayName("Refusals count for their rule and actor until they are over or forgotten, also of many at once")
  void refusals() {
    RefusalStore refusals = store().refusals();
    Duration minute = Duration.ofMinutes(1);
    assertThat(refusals.add("bots", "ada \0 \ud800", Runs.NOON, minute)).isEqualTo(1);
    assertThat(refusals.add("bots", "ada \0 \ud800", Runs.NOON.plusSeconds(59), minute)).isEqualTo(2);
    assertThat(refusals.add("bots", "bob", Runs.NOON, minute)).isEqualTo(1);
    assertThat(refusals.add("all", "bob", Runs.NOON, minute)).isEqualTo(1);
    assertThat(refusals.add("bots", "ada \0 \ud800", Runs.NOON.plusSeconds(60), minute)).isEqualTo(2);
    assertThat(refusals.add("bots", "bob", Runs.NOON.plusSeconds(60), minute)).as("the first is over").isEqualTo(1);
    refusals.forget("bots", "ada \0 \ud800");
    assertThat(refusals.add("bots", "ada \0 \ud800", Runs.NOON.plusSeconds(61), minute)).isEqualTo(1);
    assertThat(refusals.add("bots", "bob", Runs.NOON.plusSeconds(61), minute)).isEqualTo(2);
    try (RunStore second = another()) {
      List<ConcurrentCalls.Work<Integer>> added = IntStream.range(0, 16).<ConcurrentCalls.Work<Integer>>mapToObj(
          i -> () -> (i % 2 == 0 ? refusals : second.refusals()).add("bots", "eve", Runs.NOON.plusSeconds(61), minute))
          .toList();
      assertThat(ConcurrentCalls.call(added)).containsExactlyInAnyOrderElementsOf(
          IntStream.rangeClosed(1, 16).boxed().toList());
    }
  }

  @Test
  @DisplayName("A repeated request returns its run in its current state, by id and by key")
  void sameAgain() {
    begin(Runs.claim("r", "key"));
    Run running = Runs.running(Runs.waiting("r"));
    store().save(running, false);

    assertThat(begin(Runs.claim("r", "key"))).isEqualTo(new Same(running));
    assertThat(begin(Runs.claim("r"))).isEqualTo(new Same(running));
    assertThat(begin(Runs.claim("another", "key"))).isEqualTo(new Same(running));
    assertThat(store().look(Runs.claim("another", "key"))).isEqualTo(new Same(running));
    assertThat(store().list(ALL)).containsExactly(running);
  }

  @Test
  @DisplayName("A different request with the same id or key is recognized, and changes nothing")
  void differentAgain() {
    begin(Runs.claim("r", "key"));
    RequestId r = new RequestId("r");

    assertThat(begin(claim("r", "key", "sha256:2"))).isEqualTo(new Different(r));
    assertThat(begin(claim("r", "another", "sha256:2"))).isEqualTo(new Different(r));
    assertThat(begin(claim("another", "key", "sha256:2"))).isEqualTo(new Different(r));
    assertThat(store().look(claim("another", "key", "sha256:2"))).isEqualTo(new Different(r));
    assertThat(store().list(ALL)).containsExactly(Runs.waiting("r"));
  }

  @Test
  @DisplayName("A key belongs to its actor: the same key of another actor is a new request, the same id a different one")
  void keysBelongToActors() {
    begin(Runs.claim("r", "key"));
    RequestKey bert = new RequestKey(new RequestId("b"), "bert", "key", "sha256:1");

    assertThat(store().look(bert)).isEqualTo(new New());
    assertThat(begin(bert)).isEqualTo(new New());
    assertThat(store().look(new RequestKey(new RequestId("r"), "bert", null, "sha256:1")))
        .isEqualTo(new Different(new RequestId("r")));
    assertThat(store().list(ALL)).hasSize(2);
  }

  @Test
  @DisplayName("The id decides before the key")
  void idBeforeKey() {
    begin(Runs.claim("r", "key"));
    begin(Runs.claim("s", "other"));

    assertThat(begin(Runs.claim("s", "key"))).isEqualTo(new Same(Runs.waiting("s")));
    assertThat(begin(claim("s", "key", "sha256:2"))).isEqualTo(new Different(new RequestId("s")));
  }

  @Test
  @DisplayName("Requests without a key are distinguished by their ids")
  void withoutKeys() {
    assertThat(begin("r")).isEqualTo(new New());
    assertThat(begin("s")).isEqualTo(new New());
    assertThat(store().list(ALL)).hasSize(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"r", "new-id"})
  @DisplayName("A refused run is replaced by the same request, under the same id or the same key")
  void refusedGivesWay(String id) {
    begin(Runs.claim("r", "key"));
    Run refused = Runs.refused(Runs.waiting("r"));
    store().save(refused, true);
    assertThat(found("r")).isEqualTo(refused);

    assertThat(store().look(Runs.claim(id, "key"))).isEqualTo(new New());
    assertThat(begin(Runs.claim(id, "key"))).isEqualTo(new New());

    assertThat(store().list(ALL)).containsExactly(Runs.waiting(id));
    assertThat(begin(Runs.claim(id, "key"))).isEqualTo(new Same(Runs.waiting(id)));
    assertThat(store().unfinished()).containsExactly(new Unfinished(new RequestId(id), HERE));
  }

  @ParameterizedTest
  @ValueSource(strings = {"r", "new-id"})
  @DisplayName("A run that a person rejected is the answer to the same request, under the same id or the same key")
  void rejectedStays(String id) {
    store().begin(Runs.claim("r", "key"), awaiting("r"), RunStore.APPROVAL);
    Run rejected = store().changeAwaiting(new RequestId("r"),
        run -> run.refused(new RunRefusal.ApprovalRejected("ada", "no"), Runs.NOON)).orElseThrow();

    assertThat(store().look(Runs.claim(id, "key"))).isEqualTo(new Same(rejected));
    assertThat(begin(Runs.claim(id, "key"))).isEqualTo(new Same(rejected));
    assertThat(store().list(ALL)).containsExactly(rejected);
    assertThat(begin(Runs.claim("other", "other"))).isEqualTo(new New());
  }

  @Test
  @DisplayName("A refused run is not replaced by a different request")
  void refusedStaysForOthers() {
    begin(Runs.claim("r", "key"));
    store().save(Runs.refused(Runs.waiting("r")), true);

    assertThat(begin(claim("r", "key", "sha256:2"))).isEqualTo(new Different(new RequestId("r")));
    assertThat(begin(claim("s", "key", "sha256:2"))).isEqualTo(new Different(new RequestId("r")));
    assertThat(found("r")).isEqualTo(Runs.refused(Runs.waiting("r")));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("Of 200 concurrent identical requests exactly one is new, even if it replaces a refused run")
  void oneOfManyIsNew(boolean afterRefusal) {
    if (afterRefusal) {
      begin(Runs.claim("r", "key"));
      store().save(Runs.refused(Runs.waiting("r")), true);
    }

    List<Prior> priors;
    try (RunStore another = another()) {
      priors = ConcurrentCalls.call(IntStream.range(0, 200).<ConcurrentCalls.Work<Prior>>mapToObj(i -> {
        RunStore store = i % 2 == 0 ? store() : another;
        String id = i % 4 < 2 ? "r" : "r" + i;
        return () -> store.begin(Runs.claim(id, "key"), Runs.waiting(id), HERE);
      }).toList());
    }

    Run kept = store().list(ALL).getFirst();
    assertThat(store().list(ALL)).containsExactly(kept);
    assertThat(priors).filteredOn(new New()::equals).hasSize(1);
    assertThat(priors).filteredOn(new Same(kept)::equals).hasSize(199);
  }

  @Test
  @DisplayName("Many runs recorded and saved concurrently do not affect each other")
  void manyAtOnce() {
    List<Prior> priors = ConcurrentCalls.call(IntStream.range(0, 40).<ConcurrentCalls.Work<Prior>>mapToObj(i -> () -> {
      Prior prior = begin("r" + i);
      store().save(Runs.running(Runs.waiting("r" + i)), i % 2 == 0);
      store().save(Runs.succeeded(Runs.waiting("r" + i)), i % 3 == 0);
      return prior;
    }).toList());

    assertThat(priors).hasSize(40).allMatch(new New()::equals);
    assertThat(store().list(ALL)).containsExactlyInAnyOrderElementsOf(
        IntStream.range(0, 40).mapToObj(i -> Runs.succeeded(Runs.waiting("r" + i))).toList());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("A run that was never begun is not saved, and others are not affected")
  void neverBegun(boolean durable) {
    begin("r");

    List<Optional<String>> problems = ConcurrentCalls.call(IntStream
        .range(0, 16).<ConcurrentCalls.Work<Optional<String>>>mapToObj(
            i -> () -> problemOfSaving(i % 2 == 0 ? "r" : "ghost", durable))
        .toList());

    assertThat(problems).filteredOn(Optional::isEmpty).hasSize(8);
    assertThat(problems).filteredOn(Optional::isPresent).hasSize(8)
        .allMatch(Optional.of("run ghost was never begun, or was forgotten")::equals);
    assertThat(store().list(ALL)).containsExactly(Runs.succeeded(Runs.waiting("r")));
  }

  private Optional<String> problemOfSaving(String id, boolean durable) {
    try {
      store().save(Runs.succeeded(Runs.waiting(id)), durable);
      return Optional.empty();
    } catch (IllegalStateException e) {
      return Optional.ofNullable(e.getMessage());
    }
  }

  @Test
  @DisplayName("A finished run is not reopened by a late save")
  void finishedStaysFinished() {
    begin("r");
    Run finished = Runs.succeeded(Runs.waiting("r"));
    store().save(finished, true);

    store().save(Runs.running(Runs.waiting("r")), true);

    assertThat(found("r")).isEqualTo(finished);
    assertThat(store().unfinished()).isEmpty();
  }

  @Test
  @DisplayName("The id and the key of a forgotten run are free; forgetting it twice does no harm")
  void forgets() {
    begin(Runs.claim("r", "key"));

    store().forget(new RequestId("r"));
    store().forget(new RequestId("r"));

    assertThat(store().find(new RequestId("r"))).isEmpty();
    assertThat(begin(claim("s", "key", "sha256:2"))).isEqualTo(new New());
    assertThat(begin(claim("r", "another", "sha256:2"))).isEqualTo(new New());
  }

  @Test
  @DisplayName("Finished runs beyond a number are found oldest first; unfinished ones count, but are not found")
  void findsExcess() {
    for (int i = 0; i < 6; i++) {
      Run run = Runs.waiting("r" + i, "anna", Runs.NOON.plusMillis(i / 2));
      store().begin(Runs.claim("r" + i), run, HERE);
      if (i != 1) {
        store().save(Runs.succeeded(run), true);
      }
    }

    assertThat(store().finishedBeyond(6, 9)).isEmpty();
    assertThat(store().finishedBeyond(2, 9)).extracting(RequestId::value).containsExactly("r0", "r2", "r3");
    assertThat(store().finishedBeyond(2, 2)).extracting(RequestId::value).containsExactly("r0", "r2");
  }

  @Test
  @DisplayName("The list has the newest runs first, those of one moment in order, and no more than the limit")
  void listsTheNewestFirst() {
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      String id = "r" + i;
      Run run = Runs.waiting(id, i % 2 == 0 ? "odd" : "even", "anna", Runs.NOON.plusMillis(i / 4));
      store().begin(Runs.claim(id), run, HERE);
      store().save(i % 3 == 0 ? Runs.succeeded(run) : run, false);
      expected.add(id);
    }
    store().begin(Runs.claim("late"), Runs.waiting("late", "odd", "anna", Runs.NOON.minusMillis(1)), HERE);
    expected.addFirst("late");
    Collections.reverse(expected);

    assertThat(ids(ALL)).isEqualTo(expected);
    assertThat(ids(Query.of(null, null, 5))).isEqualTo(expected.subList(0, 5));
    assertThat(ids(Query.of(null, null, 0))).isEmpty();
    assertThat(ids(Query.of("odd", null, 100))).containsExactly("r10", "r8", "r6", "r4", "r2", "r0", "late");
    assertThat(ids(Query.of("odd", RunStatus.SUCCEEDED, 100))).containsExactly("r6", "r0");
    assertThat(ids(Query.of(null, RunStatus.SUCCEEDED, 2))).containsExactly("r9", "r6");
    assertThat(ids(Query.of("unknown", null, 100))).isEmpty();
  }

  @Test
  @DisplayName("Each of many runs that is recorded throughout is on one page, while others come and go")
  void pages() {
    List<String> throughout = new ArrayList<>();
    for (int i = 0; i < LISTED; i++) {
      store().begin(Runs.claim("r" + i), Runs.waiting("r" + i, "anna", Runs.NOON.plusMillis(i / 100)), HERE);
      throughout.addFirst("r" + i);
    }
    Query query = Query.of(null, null, PAGE);
    List<String> read = PageWalk.<Run>rows(query.page(null), (page, reader) -> store().read(query.of(page), reader),
        count -> {
          String ahead = "r" + Math.max(0, LISTED - PAGE / 3 - PAGE * count);
          store().forget(new RequestId(ahead));
          throughout.remove(ahead);
          store().begin(Runs.claim("new" + count), Runs.waiting("new" + count, "anna", Runs.NOON.plusSeconds(9)), HERE);
        }).stream().map(run -> run.requestId().value()).toList();

    assertThat(read).doesNotHaveDuplicates();
    assertThat(read.stream().filter(throughout::contains)).isEqualTo(throughout);
  }

  @Test
  @DisplayName("The list can be limited to an actor, a lock, a time and the beginning of an id")
  void filters() {
    store().begin(Runs.claim("req_ab1"), Runs.waiting("req_ab1", "deploy", "anna", Runs.NOON), HERE);
    Run bert = locked(Runs.waiting("req_ab2", "deploy", "bert", Runs.NOON.plusSeconds(1)), "prod");
    store().begin(new RequestKey(bert.requestId(), "bert", null, "d"), bert, HERE);
    Run late = locked(Runs.waiting("reqXac3", "deploy", "anna", Runs.NOON.plusSeconds(2)), "prod");
    store().begin(Runs.claim("reqXac3"), late, HERE);

    assertThat(ids(new Query(null, null, "anna", null, null, null, 9))).containsExactly("reqXac3", "req_ab1");
    assertThat(ids(new Query(null, null, null, "prod", null, null, 9))).containsExactly("reqXac3", "req_ab2");
    assertThat(ids(new Query(null, null, "anna", "prod", null, null, 9))).containsExactly("reqXac3");
    assertThat(ids(new Query(null, null, null, null, Runs.NOON.plusSeconds(1), null, 9)))
        .containsExactly("reqXac3", "req_ab2");
    assertThat(ids(Query.ofPrefix("req_a", 9))).as("no character is a wildcard").containsExactly("req_ab2", "req_ab1");
    assertThat(ids(Query.ofPrefix("req_a", 1))).containsExactly("req_ab2");
    assertThat(ids(Query.ofPrefix("REQ_A", 9))).isEmpty();
    assertThat(ids(Query.ofPrefix("%", 9))).isEmpty();
    assertThat(store().find(late.requestId())).contains(late);
  }

  private static Run locked(Run run, String lock) {
    return new Run(run.header().withLock(new LeaseName(lock)), run.status(), run.lock(), run.progress(),
        run.warnings(), run.refusal(), run.finishedAt(), "tower-01", null);
  }

  private List<String> ids(Query query) {
    return store().list(query).stream().map(run -> run.requestId().value()).toList();
  }

  @Test
  @DisplayName("A claim for a different run is misuse, and so is every call after close")
  void misuse() {
    assertThatIllegalStateException()
        .isThrownBy(() -> store().begin(Runs.claim("r"), Runs.waiting("other"), HERE))
        .withMessage("the claim of r is not the claim of run other");
    RunStore another = another();
    another.list(ALL);
    another.close();
    another.close();
    assertThatIllegalStateException().isThrownBy(() -> another.list(ALL)).withMessageContaining("has been closed");
    assertThatIllegalStateException().isThrownBy(() -> another.begin(Runs.claim("r"), Runs.waiting("r"), HERE));
  }
}
