package fleet.tower.run.submit;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.access.Role;
import fleet.tower.approval.Approval;
import fleet.tower.approval.ApprovalRule;
import fleet.tower.approval.ApprovalTerms;
import fleet.tower.approval.Vote;
import fleet.tower.harness.Extent;
import fleet.tower.lease.Actor;
import fleet.tower.lease.Door;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.Halt;
import fleet.tower.platform.StorageException;
import fleet.tower.run.Processes;
import fleet.tower.run.Run;
import fleet.tower.run.RunStatus;

/**
 * Random schedules of two executors of one home: requests, votes, time, halts, and changes of an intent, also between
 * the grant of a lock and the first step. A schedule is determined by its seed. Whether a step may begin is judged from
 * what was asked and answered before.
 */
@DisplayName("Approvals and halts in random schedules")
class ApprovalSimulationTest {
  private static final long FIRST_SEED = Long.getLong("simulation.seed", 20_261_101L);
  private static final int STEPS = 60;
  private static final Duration WITHIN = Duration.ofHours(1);
  private static final Duration VALID = Duration.ofMinutes(30);
  private static final List<String> PERSONS = List.of("alice", "bob", "cora", "dan");
  private static final List<String> INTENTS = List.of("one", "two", "free");

  @Test
  @DisplayName("No step begins without the votes, after the time, twice, or under a halt; a rejection stays")
  void noPromiseIsBroken(@TempDir Path directory) {
    int schedules = Long.getLong("simulation.seed") == null ? Extent.of(30, 100, 2000) : 1;
    Map<String, Integer> seen = new LinkedHashMap<>();
    for (long seed = FIRST_SEED; seed < FIRST_SEED + schedules; seed++) {
      try (Schedule schedule = new Schedule(seed, directory.resolve("s" + seed))) {
        schedule.run();
        schedule.tally.forEach((what, times) -> seen.merge(what, times, Integer::sum));
      }
    }
    if (schedules > 1) {
      assertThat(seen.keySet()).as("what happened in these schedules: " + seen).contains("begun", "APPROVED",
          "REJECTED",
          "EXPIRED", "standing", "halted", "PlanChanged", "own request", "other plan");
    }
  }

  /** A vote that somebody tried to give, whatever came of it. */
  private record Ballot(String principal, boolean approves, int version, Instant at) {}

  /** What was asked about one request id. */
  private static final class Asked {
    private final String intent;
    private final String requester;
    private final int version;
    private final Instant at;
    private final List<Ballot> ballots = new ArrayList<>();
    /** Who approved it with an earlier run. */
    private final Set<String> earlier = new HashSet<>();
    private boolean isRejected;
    private int starts;

    Asked(String intent, String requester, int version, Instant at) {
      this.intent = intent;
      this.requester = requester;
      this.version = version;
      this.at = at;
    }
  }

  /** What was approved for later runs with a run. */
  private static final class Later {
    private final RequestId run;
    private final String principal;
    private final Asked given;
    private final Instant until;
    private int left;

    Later(RequestId run, String principal, Asked given, Instant until, int left) {
      this.run = run;
      this.principal = principal;
      this.given = given;
      this.until = until;
      this.left = left;
    }
  }

  /** One schedule. */
  private static final class Schedule implements AutoCloseable {
    private final long seed;
    private final SplittableRandom dice;
    private final TestExecutor works;
    private final List<Runs> runs = new ArrayList<>();
    private final List<QueuedRuns> queues = new ArrayList<>();
    private final Map<RequestId, Asked> requests = new LinkedHashMap<>();
    private final List<Later> standing = new ArrayList<>();
    private final Map<String, Integer> versions = new LinkedHashMap<>();
    private final Map<String, Integer> tally = new LinkedHashMap<>();
    private final List<String> trace = new ArrayList<>();
    private int newest;
    private int started;

    Schedule(long seed, Path directory) {
      this.seed = seed;
      this.dice = new SplittableRandom(seed);
      works = new TestExecutor(directory.resolve("locks"));
      works.processes.plan("work", new Processes.Exited(0));
      INTENTS.forEach(this::declare);
      for (Runs each : List.of(works.runs, works.executor("executor-2"))) {
        runs.add(each);
        queues.add(each.queued(new QueuedRuns.Backlog() {
          @Override
          public void put(RequestId requestId, Run.@Nullable Declaration declaration) {
            // Any executor may try any run at any time.
          }

          @Override
          public long size() {
            return 0;
          }
        }));
      }
    }

    /** Each version of an intent does something else; an earlier one may come back. */
    private void declare(String intent) {
      int version = dice.nextInt(1, 4);
      versions.put(intent, version);
      IntentBuilder builder = IntentBuilder.mutate(intent).lock(intent).step("work", "do", "version " + version);
      works.with(intent.equals("free")
          ? builder
          : builder.approve(new ApprovalRule(Map.of(),
              new ApprovalTerms(intent.equals("one") ? 1 : 2, List.of(), WITHIN, VALID))));
    }

    void run() {
      for (int step = 0; step < STEPS; step++) {
        act();
        judge();
      }
    }

    private void act() {
      switch (dice.nextInt(16)) {
        case 0, 1, 2 -> request(new RequestId("r" + ++newest), pick(INTENTS), pick(PERSONS));
        case 3 -> anyRequest(id -> request(id, asked(id).intent, asked(id).requester));
        case 4, 5, 6, 7 -> anyRequest(this::vote);
        case 8, 9, 10 -> anyRequest(this::take);
        case 11 -> pass();
        case 12 -> halt();
        case 13 -> lift();
        case 14 -> change();
        default -> disturb();
      }
    }

    private void disturb() {
      switch (dice.nextInt(3)) {
        case 0 -> anyRequest(id -> pick(runs).cancel(id));
        case 1 -> pick(runs).approvals().expire();
        default -> works.hidesHalts = !works.hidesHalts && dice.nextBoolean();
      }
    }

    private interface OfRequest {
      void act(RequestId id);
    }

    private void anyRequest(OfRequest action) {
      if (!requests.isEmpty()) {
        action.act(pick(List.copyOf(requests.keySet())));
      }
    }

    private Asked asked(RequestId id) {
      return Objects.requireNonNull(requests.get(id));
    }

    /** A new request, or an earlier one again. */
    private void request(RequestId id, String intent, String requester) {
      Asked before = requests.get(id);
      RunRequest plain = TestExecutor.request(intent, id.value());
      RunRequest request = new RunRequest(intent, plain.params(), id, null,
          new Run.Origin(new Actor(requester, Door.RUN), "{}", null), plain.terms(), null, null)
          .of(Role.AGENT, requester);
      boolean isWaiting = works.store.find(id).filter(run -> !run.status().isFinished()).isPresent();
      if (before == null || (!isWaiting && !before.isRejected && before.starts == 0)) {
        requests.put(id, new Asked(intent, requester, version(intent), works.time.now()));
      }
      note("request", id + " of " + intent + " by " + requester);
      try {
        SubmitOutcome outcome = dice.nextInt(4) == 0 ? pick(queues).enqueue(request) : pick(runs).submit(request);
        note(outcome instanceof SubmitOutcome.Barred ? "halted" : "answered", outcome);
        if (outcome instanceof SubmitOutcome.Accepted(var handle, boolean isReplay) && before != null
            && before.isRejected) {
          require(isReplay && handle.run().status() == RunStatus.REFUSED, "a rejection is not the answer to its id",
              id);
        }
        if (outcome instanceof SubmitOutcome.Accepted(var handle, boolean isReplay) && !isReplay) {
          useLater(handle.run(), asked(id));
          if (intent.equals("free") && !handle.run().isQueued()) {
            handle.await();
          }
        }
      } catch (StorageException unknownHalts) {
        note("failed", unknownHalts);
      }
    }

    private void vote(RequestId id) {
      Asked asked = asked(id);
      Approval approval = works.store.find(id).map(Run::approval).orElse(null);
      if (approval == null) {
        return;
      }
      String principal = pick(PERSONS);
      boolean approves = dice.nextInt(6) > 0;
      boolean seesAnother = dice.nextInt(10) == 0;
      String hash = seesAnother ? "sha256:" + "0".repeat(64) : approval.planHash();
      RunApprovals.Later later = dice.nextBoolean() ? new RunApprovals.Later(WITHIN.multipliedBy(2), 2) : null;
      asked.ballots.add(new Ballot(principal, approves, seesAnother ? 0 : asked.version, works.time.now()));
      note("vote", id + " by " + principal + (approves ? " for" : " against") + " it");
      RunApprovals.Outcome outcome = pick(runs).approvals().vote(id, new RunApprovals.Ballot(
          new Actor("token of " + principal, Door.HTTP), principal, approves, PlanHash.parse(hash), "why", later));
      switch (outcome) {
        case RunApprovals.Voted(Run run, boolean _) -> {
          require(!principal.equals(asked.requester), "a requester's vote counts", id);
          require(!seesAnother, "a vote on another plan counts", id);
          note(String.valueOf(Objects.requireNonNull(run.approval()).state().name()), run.status());
          asked.isRejected |= !approves;
          if (approves && later != null) {
            standing.removeIf(it -> it.run.equals(id) && it.principal.equals(principal));
            standing.add(new Later(id, principal, asked, works.time.now().plus(later.within()), later.most()));
          }
        }
        case RunApprovals.NotVoted(Run _, Approval.OwnRequest()) -> note("own request", "");
        case RunApprovals.NotVoted(Run _, Approval.OtherPlan()) -> note("other plan", "");
        case RunApprovals.NotVoted(Run run, Approval.VoteOutcome _) ->
          note(String.valueOf(Objects.requireNonNull(run.approval()).state().name()), run.status());
        case RunApprovals.Revoked _ -> {
          note("revoked", "");
          standing.removeIf(it -> it.run.equals(id));
        }
        case RunApprovals.NotFound() -> note("not found", "");
      }
    }

    /** An executor takes a run, and something may happen while it reads the plan again under the lock. */
    private void take(RequestId id) {
      note("take", id);
      if (dice.nextInt(3) == 0) {
        works.onReread = () -> {
          works.onReread = () -> {};
          if (dice.nextBoolean()) {
            pass();
          } else {
            change();
          }
        };
      }
      try {
        if (pick(queues).take(id) instanceof QueuedRuns.TakeOutcome.Taken(var handle, var _)) {
          handle.await();
        }
      } catch (StorageException unknownHalts) {
        note("failed", unknownHalts);
      }
      works.onReread = () -> {};
      works.store.find(id).map(Run::refusal).ifPresent(why -> note(why.getClass().getSimpleName(), id));
    }

    private void pass() {
      works.time.advance(Duration.ofMinutes(pick(List.of(1, 7, 29, 30, 60))));
      note("time", works.time.now());
    }

    private void halt() {
      works.halt(Halt.Level.ADMIT,
          dice.nextBoolean() ? Halt.Scope.ALL : Halt.Scope.of(List.of(), List.of(pick(INTENTS)), List.of()));
      note("halt", works.halts);
    }

    private void lift() {
      works.halts.clear();
      note("lift", "");
    }

    private void change() {
      declare(pick(INTENTS));
      note("change", versions);
    }

    /** Judges the processes that were started since. */
    private void judge() {
      List<String> events = works.processes.events();
      long begun = events.stream().filter("start work"::equals).count();
      while (started < begun) {
        judge(works.processes.awaitStart(++started).command().requestId());
      }
    }

    private void judge(RequestId id) {
      Asked asked = asked(id);
      note("begun", id);
      require(++asked.starts == 1, "one request began twice", id);
      require(!works.hidesHalts, "began while no halt could be read", id);
      require(works.halts.values().stream().noneMatch(halt -> halt.scope()
          .covers(Halt.Subject.of(new Actor(asked.requester, Door.RUN), asked.intent, new LeaseName(asked.intent)))),
          "began under a halt", id);
      if (asked.intent.equals("free")) {
        return;
      }
      require(version(asked.intent) == asked.version, "began with another plan than was approved", id);
      require(!asked.isRejected, "began after a rejection", id);
      int need = asked.intent.equals("one") ? 1 : 2;
      Set<String> voters = new HashSet<>(asked.earlier);
      Instant decided = voters.size() >= need ? asked.at : null;
      for (Ballot ballot : asked.ballots) {
        boolean isGood = ballot.approves() && ballot.version() == asked.version
            && !ballot.principal().equals(asked.requester) && ballot.at().isBefore(asked.at.plus(WITHIN));
        if (isGood && voters.add(ballot.principal()) && voters.size() == need) {
          decided = ballot.at();
        }
      }
      require(decided != null, "began without the votes that it needs", id + " " + voters);
      require(decided == null || works.time.now().isBefore(decided.plus(VALID)), "began too late", id + " " + decided);
    }

    /** Uses the approvals of later runs that a new run has. */
    private void useLater(Run run, Asked asked) {
      Approval approval = run.approval();
      if (approval != null) {
        approval.votes().stream().map(Vote::principal).forEach(voter -> {
          note("standing", run.requestId());
          require(!voter.equals(asked.requester) && isUsed(asked, voter), "an approval counts that nobody gave", voter);
          asked.earlier.add(voter);
        });
      }
    }

    private boolean isUsed(Asked asked, String principal) {
      for (Later later : standing) {
        if (later.principal.equals(principal) && later.given.intent.equals(asked.intent)
            && later.given.version == asked.version && asked.at.isBefore(later.until) && later.left > 0) {
          later.left--;
          return true;
        }
      }
      return false;
    }

    private int version(String intent) {
      return versions.getOrDefault(intent, 0);
    }

    private <T> T pick(List<T> all) {
      return all.get(dice.nextInt(all.size()));
    }

    private void note(String what, Object detail) {
      tally.merge(what, 1, Integer::sum);
      trace.add(what + " " + detail);
    }

    private void require(boolean isKept, String what, Object detail) {
      if (!isKept) {
        throw new AssertionError(what + ": " + detail + "; again with -Dsimulation.seed=" + seed + "\n"
            + String.join("\n", trace));
      }
    }

    @Override
    public void close() {
      works.hidesHalts = false;
      works.close();
    }
  }
}
