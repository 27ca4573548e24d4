package fleet.tower.answer;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

import fleet.tower.lease.Holder;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseState;
import fleet.tower.lease.RenewalSchedule;
import fleet.tower.lock.AcquireRequest;
import fleet.tower.lock.Freeze;
import fleet.tower.lock.FreezeState;
import fleet.tower.lock.LockView;
import fleet.tower.lock.queue.Wait;
import fleet.tower.operation.Arg;
import fleet.tower.operation.Given;
import fleet.tower.operation.HaltOperations;
import fleet.tower.operation.HomeOperations;
import fleet.tower.operation.LockOperations;
import fleet.tower.operation.RunOperations;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.text.VisibleText;
import fleet.tower.platform.time.Timestamps;

/**
 * The reasons why a lock is not available, and the commands that help. A command can be typed as it stands. A command
 * that a service permits only to operators becomes advice to ask one, because the caller's role is unknown here.
 *
 * @param intents those whose runs may take the lock; none of its commands takes such a lock outside of a run
 * @param halts those that may cover a request for the lock
 * @param stranded the queued runs that take the lock and that no live host takes
 * @param isOperator whether the caller is known to be an operator
 * @param now the time of the view
 */
public record WhyText(LockView view, int waiters, List<LockIntents> intents, HaltText.OfLock halts,
    List<StrandedRun> stranded, boolean isOperator, Instant now) {
  /** A view does not say which interval its holder was configured with, so the default is assumed. */
  private static final Duration ASSUMED_MAX_INTERVAL = RenewalSchedule.DEFAULT_MAX_INTERVAL;

  /** One reason, and the actions that help, the best first. */
  public record Reason(String type, String message, List<NextAction> actions) {
    private Reason(String type, String message, NextAction action) {
      this(type, message, List.of(action));
    }

    /** The command that helps most, or the advice to ask for it. */
    String command() {
      NextAction best = actions.getFirst();
      return Objects.requireNonNullElse(best.command(), best.why());
    }

    public JsonWriter json() {
      return JsonWriter.line().put("type", type).put("message", message).put("command", command());
    }
  }

  /** Whether the caller may take the lock. */
  public boolean isFree() {
    return view.isFree() && !isHalted();
  }

  /** Whether a halt covers every request of the caller for the lock. */
  public boolean isHalted() {
    return halts.areForCaller();
  }

  /** Every reason why the lock is not available now, the strongest first; then the runs that wait for a host. */
  public List<Reason> reasons() {
    List<Reason> reasons = new ArrayList<>(halts.halts().stream().map(halt -> new Reason("halted", halt.sentence(),
        NextAction.command(CommandLine.of(HaltOperations.LIST, Given.NOTHING), "see the halts in force"))).toList());
    reasons.addAll(frozenReasons());
    reasons.addAll(holdReasons());
    if (!reasons.isEmpty() && waiters > 0) {
      reasons.add(new Reason("waiting", waiters + (waiters == 1 ? " request is" : " requests are")
          + " waiting for it; you would be number " + (waiters + 1), waiting(LockOperations.USUAL_WAIT)));
    }
    stranded.forEach(run -> reasons.add(new Reason("no_host", "run " + run.requestId() + " of " + run.intent()
        + " is queued: " + run.problem(),
        NextAction.command(CommandLine.of(HomeOperations.HOSTS, Given.NOTHING), "see the hosts and their labels"))));
    return reasons;
  }

  private LeaseName name() {
    return view.name();
  }

  private List<Reason> frozenReasons() {
    return switch (view.freeze()) {
      case FreezeState.None() -> List.of();
      case FreezeState.Frozen(Freeze freeze) -> List.of(new Reason("frozen", LockText.frozen(view.freeze()),
          LockText.outlasting(freeze.expiresAt(), now)
              .map(until -> List.of(NextAction.advice(until), waiting(Wait.MAX_LIMIT)))
              .orElseGet(() -> List.of(waiting(Wait.MAX_LIMIT)))));
      case FreezeState.Corrupt _ -> List.of(new Reason("frozen", LockText.frozen(view.freeze()),
          operator(CommandLine.of(LockOperations.UNFREEZE, LockOperations.of(name())),
              "lift the freeze if it is not wanted")));
    };
  }

  private List<Reason> holdReasons() {
    return switch (view.leaseState()) {
      case LeaseState.Vacant() -> List.of();
      case LeaseState.Corrupt(String problem) -> List.of(new Reason("corrupt",
          view.path() + " cannot be read as a lock: " + problem, removal()));
      case LeaseState.Unsupported(String version) -> List.of(new Reason("unsupported", view.path()
          + " has lock version " + version + ", which this program does not support; upgrade it", removal()));
      case LeaseState.Held held -> heldReasons(held);
    };
  }

  private List<Reason> heldReasons(LeaseState.Held held) {
    Lease lease = held.lease();
    String holder = "held by " + lease.describeHolder();
    List<Reason> reasons = new ArrayList<>();
    if (held.isStale()) {
      reasons.add(new Reason("stale", holder + ", whose last heartbeat was " + held.age().seconds()
          + " s ago, more than its ttl of " + lease.ttl().seconds() + " s" + LockText.fate(lease, true),
          actionsWithoutHolder(theft(), lease)));
    } else if (lease.holder().isGone()) {
      reasons.add(new Reason("held", holder + ", last heartbeat " + seconds(held) + " s ago"
          + LockText.fate(lease, false),
          actionsWithoutHolder(operator(LockText.release(name(), LockText.GONE),
              "free the lock before it becomes stale"), lease)));
    } else {
      reasons.add(new Reason("held", holder + ", last heartbeat " + seconds(held) + " s ago",
          lease.isOfRun() ? actions(waiting(LockOperations.USUAL_WAIT), lease) : actionsWithHolder(lease)));
    }
    if (view.isRestored()) {
      reasons.add(new Reason("restored", "a power failure took its file, and it was put back from the journal; "
          + "its holder may have ended then",
          NextAction.command(CommandLine.of(HomeOperations.AUDIT, Given.NOTHING
              .with(HomeOperations.OF_LOCK, name().value()).with(HomeOperations.EVENT, "lock_restored")),
              "see when it was restored")));
    }
    reasons.addAll(doubts(held));
    return reasons;
  }

  private static long seconds(LeaseState.Held held) {
    return Math.max(0, held.age().seconds());
  }

  /** The action, and the command that releases the lock, which its owner may use without asking anybody. */
  private static List<NextAction> actionsWithoutHolder(NextAction first, Lease lease) {
    return lease.isOfRun()
        ? actions(first, lease)
        : List.of(first, NextAction.advice("if it is yours, and its work has ended: " + LockText.unlock(lease)));
  }

  /** The wait, whom to ask for a lock that a guard or a person holds, and what an operator may do about it. */
  private List<NextAction> actionsWithHolder(Lease lease) {
    Holder holder = lease.holder();
    return List.of(waiting(LockOperations.USUAL_WAIT),
        NextAction.advice("ask " + VisibleText.quoted(holder.actor()) + " on " + VisibleText.quoted(holder.hostId())
            + " when the work ends"
            + (holder.intent().equals("guard") ? ": a guard holds it while its command runs" : "")),
        NextAction.advice("if its work must not go on" + (isOperator ? ": " : ", ask an operator to run: ")
            + LockText.release(name(), "agreed with " + holder.actor())));
  }

  /** The action, and the command that shows the progress of a run. */
  private static List<NextAction> actions(NextAction first, Lease lease) {
    NextAction look = progress(lease);
    return lease.isOfRun() && !first.equals(look) ? List.of(first, look) : List.of(first);
  }

  private static NextAction progress(Lease run) {
    return NextAction.command(CommandLine.of(RunOperations.VIEW, RunOperations.of(run.requestId())),
        "see how far the run got");
  }

  private List<Reason> doubts(LeaseState.Held held) {
    Lease lease = held.lease();
    List<Reason> reasons = new ArrayList<>();
    if (isStuck(held)) {
      reasons.add(new Reason("no_progress", "no progress since " + Timestamps.format(lease.lastHeartbeatAt())
          + (held.isStale()
              ? ""
              : ": without progress it is stale after " + Timestamps.format(lease.expiresAt()))
          + (lease.holder().isGone() ? "" : " (or its executor has died)"),
          progress(lease)));
    }
    if (held.age().isSkewed()) {
      reasons.add(new Reason("clock_skew", "its last heartbeat is " + -held.age().seconds()
          + " s ahead of this host's clock; it goes stale a ttl after its file was last written", removal()));
    } else if (!held.isStale() && held.age().exceedsByWallClock(lease.ttl())) {
      reasons.add(new Reason("clock_stepped",
          "this host's wall clock was stepped; by its boot clock the holder is alive",
          NextAction.command("tower doctor", "see what is wrong with the clock")));
    }
    return reasons;
  }

  /** Whether a holder that must prove progress has missed at least one renewal. */
  private static boolean isStuck(LeaseState.Held held) {
    Lease lease = held.lease();
    Duration interval = RenewalSchedule.interval(lease.ttl().duration(), ASSUMED_MAX_INTERVAL);
    try {
      return held.age().seconds() > interval.toSeconds() + 1
          && JsonReader.readObject(lease.metadata()).text(AcquireRequest.Metadata.HEARTBEAT)
              .filter(AcquireRequest.Metadata.PROGRESS::equals).isPresent();
    } catch (JsonException noneOfOurs) {
      return false;
    }
  }

  /** A wait for the lock, by a run if an intent takes it. */
  private NextAction waiting(Duration patience) {
    if (intents.isEmpty()) {
      return NextAction.command(CommandLine.of(LockOperations.ACQUIRE,
          LockOperations.of(name()).with(LockOperations.WAIT, patience.toSeconds())), "wait for the lock and take it");
    }
    return run(RunOperations.WAIT, patience.toSeconds(), "wait for the lock and run the intent that takes it")
        .orElse(view.leaseState() instanceof LeaseState.Held held && held.lease().isOfRun()
            ? progress(held.lease())
            : NextAction.command(new CommandLine(LockOperations.LIST).operand(name().value()).toString(),
                "see who holds the lock, and until when"));
  }

  private NextAction theft() {
    if (!isOperator) {
      return operator(LockText.release(name(), LockText.GONE), "");
    }
    if (intents.isEmpty()) {
      return NextAction.command(CommandLine.of(LockOperations.ACQUIRE,
          LockOperations.of(name()).with(LockOperations.FORCE, true)), "take the lock");
    }
    return run(RunOperations.FORCE, true, "take the lock and run the intent that takes it")
        .orElse(operator(LockText.release(name(), LockText.GONE), "free the lock"));
  }

  private <T> Optional<NextAction> run(Arg<T> arg, T value, String why) {
    return intents.size() == 1
        ? Optional.ofNullable(intents.getFirst().request())
            .map(run -> NextAction.command(CommandLine.of(RunOperations.SUBMIT, run.with(arg, value)), why))
        : Optional.empty();
  }

  private NextAction removal() {
    return operator(LockText.release(name(), LockText.NOT_HELD), "remove it if it is not held");
  }

  private NextAction operator(String command, String why) {
    return isOperator
        ? NextAction.command(command, why)
        : NextAction.advice("ask an operator to run: " + command);
  }
}
