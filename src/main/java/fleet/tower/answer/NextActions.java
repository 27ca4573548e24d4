package fleet.tower.answer;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.Role;
import fleet.tower.answer.NextStep.Change;
import fleet.tower.foreign.ForeignLock;
import fleet.tower.foreign.ForeignLockState;
import fleet.tower.lease.Age;
import fleet.tower.lease.Decision;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.queue.Wait;
import fleet.tower.operation.CommonArgs;
import fleet.tower.operation.Given;
import fleet.tower.operation.LockOperations;
import fleet.tower.operation.MailboxOperations;
import fleet.tower.operation.RunOperations;
import fleet.tower.platform.ErrorCode;
import fleet.tower.run.Run;
import fleet.tower.run.RunRefusal;
import fleet.tower.run.RunStatus;
import fleet.tower.run.submit.SubmitOutcome;

/**
 * The steps that help after a refusal, best first, the same at both doors. A door turns them into actions that are
 * complete and that its caller is allowed to take.
 */
public final class NextActions {
  private static final Change WAITING = new Change.Waiting(LockOperations.USUAL_WAIT.toSeconds());
  private static final Change WAITING_LONGEST = new Change.Waiting(Wait.MAX_SECONDS);
  private static final String LATER = "send the same request again in a moment";

  private NextActions() {}

  /** The steps after a refusal of which only the code is known. */
  public static List<NextStep> of(ErrorCode code) {
    return switch (code) {
      case LOCK_BLOCKED, LOCK_FROZEN, FOREIGN_LOCK -> List.of(NextStep.again("wait for it", WAITING), locks());
      case LOCK_STALE -> List.of(steal(), locks());
      case LOCK_WAIT_TIMEOUT -> List.of(NextStep.again("wait longer", WAITING_LONGEST), locks());
      case LOCK_CORRUPT, UNSUPPORTED_LOCK_VERSION, LOCK_NOT_FOUND, NOT_LOCK_OWNER, LOCK_OF_RUN, RUN_ACTIVE, LOCK_LOST,
          NOT_WAITING ->
        List
            .of(locks());
      case TOO_MANY_WAITERS, TOO_MANY_WAITING_CALLS, LOCK_REQUEST_WITHDRAWN, SHUTTING_DOWN, SERVER_UNAVAILABLE,
          CANCELLED, LOCK_RELEASE_FAILED ->
        List.of(NextStep.again(LATER), NextStep.listing());
      case NOT_FROZEN -> List.of(locks());
      case INTENT_NOT_FOUND, INTENT_CHANGED, PLAN_CHANGED, INVALID_PARAMS, LOCK_REQUIRED -> List.of(intents());
      case RUN_NOT_FOUND, RUN_FINISHED, AMBIGUOUS_RUN_ID -> List.of(runs());
      case RUN_WAIT_TIMEOUT -> List.of(NextStep.again("wait for it again"), runs());
      case TOO_MANY_RUNS -> List.of(NextStep.again(LATER),
          activeRuns());
      case TASK_EXISTS, TASK_NOT_FOUND, TASK_COMPLETED, UNKNOWN_DEPENDENCY, DEPENDENCIES_OPEN, CLAIM_CONTENTION,
          CLAIM_NOT_OWNED ->
        List.of(TaskActions.list());
      case MESSAGE_EXISTS, MAILBOX_FULL, REPLY_NOT_AVAILABLE, RECEIPT_HANDLE_EXPIRED, DEAD_LETTER_NOT_FOUND -> List.of(
          NextStep.ask(MailboxOperations.LIST, Given.NOTHING, "count the messages of every mailbox"));
      case IDEMPOTENCY_MISMATCH -> List.of(NextStep.again("send it as another request", new Change.NewId()));
      case UNAUTHORIZED -> List.of(NextStep.listing(),
          NextStep.advice("send a valid token as the header `Authorization: Bearer TOKEN`;"
              + " a command sends the one in TOWER_TOKEN, or in the file that TOWER_TOKEN_FILE names"));
      case TOO_MANY_BAD_TOKENS, IDENTITY_UNAVAILABLE, INTERNAL_ERROR, START_FAILED, INVALID_CONFIG, HOST_ID_TAKEN,
          PORT_IN_USE ->
        List.of(NextStep.listing(), doctor());
      case STORAGE_UNAVAILABLE, DISK_FULL -> List.of(NextStep.again(LATER), doctor());
      case FORBIDDEN, INVALID_LOCK_NAME, INVALID_REQUEST, NOT_FOUND, METHOD_NOT_ALLOWED, NOT_IMPLEMENTED,
          HTTP_VERSION_NOT_SUPPORTED, NOT_ACCEPTABLE, UNSUPPORTED_MEDIA_TYPE, CONTENT_TOO_LARGE, HEADERS_TOO_LARGE,
          USAGE, FILE_NOT_FOUND, COMMAND_NOT_RUN, SERVER_UNTRUSTED ->
        List.of(NextStep.listing());
      case TOKEN_NOT_FOUND -> List.of(NextStep.command(null, "tower token list", "list the tokens"));
      case HOME_IN_USE, MOVE_CLASHES, HOME_MOVED -> List.of(
          NextStep.command(null, "tower move --help", "see how a home is moved"));
      case NO_HOME, NOT_A_HOME -> List.of(NextStep.command(null, "tower init --help", "see how a home is created"));
      case AMBIGUOUS_HOME -> List.of(NextStep.command(null, "tower home", "see which home other commands use"));
      case HOME_UNTRUSTED -> List.of(NextStep.command(null, "tower doctor", "see what is wrong with it"));
    };
  }

  /**
   * The steps of a caller who may not do what it requested.
   *
   * @param needed the role that may; null if the reason is not a role
   */
  public static List<NextStep> forbidden(@Nullable Role needed) {
    List<NextStep> steps = new ArrayList<>();
    steps.add(NextStep.listing());
    if (needed == Role.OPERATOR) {
      steps.add(NextStep.again(needed, "it needs the role " + needed));
    }
    return steps;
  }

  private static NextStep locks() {
    return NextStep.ask(LockOperations.LIST, Given.NOTHING, "list the locks");
  }

  private static NextStep intents() {
    return NextStep.ask(RunOperations.LIST_INTENTS, Given.NOTHING, "list the intents, and the errors in their files");
  }

  private static NextStep runs() {
    return NextStep.ask(RunOperations.LIST, Given.NOTHING, "see the newest runs");
  }

  private static NextStep activeRuns() {
    return NextStep.ask(RunOperations.LIST, Given.NOTHING.with(RunOperations.STATUS, RunStatus.RUNNING.toString()),
        "see the active runs");
  }

  private static NextStep doctor() {
    return NextStep.command(Role.OPERATOR, "tower doctor", "examine the home on the service's host");
  }

  private static NextStep steal() {
    return NextStep.again(Role.OPERATOR, "take it, if its holder is really gone",
        new Change.Forced(true));
  }

  /** The call that shows a lock. */
  public static NextStep look(LeaseName name) {
    return NextStep.ask(LockOperations.VIEW, LockOperations.of(name), "see who holds it, and until when");
  }

  private static NextStep forceRelease(LeaseName name, String reason) {
    return forceRelease(name, reason, "remove it if it is not held");
  }

  private static NextStep forceRelease(LeaseName name, String reason, String why) {
    return NextStep.ask(LockOperations.FORCE_RELEASE, LockOperations.of(name).with(CommonArgs.REASON, reason), why);
  }

  private static NextStep unfreeze(LeaseName name, String why) {
    return NextStep.ask(LockOperations.UNFREEZE, LockOperations.of(name), why);
  }

  private static NextStep freezes(LeaseName name) {
    return freezes(name, "see who froze it, and until when");
  }

  private static NextStep freezes(LeaseName name, String why) {
    return NextStep.ask(LockOperations.VIEW, LockOperations.of(name), why);
  }

  /** The steps after a request for a lock that was refused now. */
  public static List<NextStep> of(LeaseName name, Decision.Refusal refusal, Instant now) {
    return outlasting(name, LockText.outlasting(refusal, now)).orElseGet(() -> of(name, refusal));
  }

  private static List<NextStep> frozen(LeaseName name) {
    return List.of(NextStep.again("wait until the freeze ends", WAITING_LONGEST), freezes(name));
  }

  /** The steps if a freeze lasts longer than any wait; empty if it does not. */
  private static Optional<List<NextStep>> outlasting(LeaseName name, Optional<String> words) {
    return words.map(until -> List.of(freezes(name, until + ", or ask who froze it to lift it"),
        NextStep.again("wait, in case it is lifted earlier", WAITING_LONGEST)));
  }

  /** The steps after a refused request for a lock, whenever it was refused. */
  public static List<NextStep> of(LeaseName name, Decision.Refusal refusal) {
    return switch (refusal) {
      case Decision.Blocked(Lease lease, Age _) when lease.holder().isGone() -> afterOwner(lease,
          forceRelease(name, LockText.GONE, "free it before it becomes stale"),
          NextStep.again("wait for it", WAITING), look(name));
      case Decision.Blocked _ -> List.of(NextStep.again("wait for it", WAITING), look(name));
      case Decision.Stale(Lease lease, Age _) -> afterOwner(lease, steal(), look(name));
      case Decision.Frozen _ -> frozen(name);
      case Decision.FrozenUnreadably _ -> unreadableFreeze(name);
      case Decision.OfRun of -> ofRun(name, of);
      case Decision.Corrupt _ -> List.of(look(name), forceRelease(name, "the lock cannot be read"));
      case Decision.Unsupported(String version) -> newer(name, version);
    };
  }

  /** The steps after that of the owner of a lock without a live holder; a run's lock has no such owner. */
  private static List<NextStep> afterOwner(Lease lease, NextStep... others) {
    List<NextStep> steps = new ArrayList<>();
    if (!lease.isOfRun()) {
      steps.add(NextStep
          .ask(LockOperations.RELEASE,
              LockOperations.of(lease.name()).with(LockOperations.OWNING, lease.requestId().value()),
              LockText.OF_OWNER)
          .onlyFor(lease.holder().actor()));
    }
    steps.addAll(List.of(others));
    return steps;
  }

  private static List<NextStep> ofRun(LeaseName name, Decision.OfRun of) {
    return of.isOver()
        ? List.of(see(of.run(), "see how far it got"),
            forceRelease(name, "its run was interrupted", "free the lock that the run left"))
        : List.of(cancel(of.run(), of.actor()), see(of.run(), "see how far it got"));
  }

  /** The steps after a forced release that would take the lock from a live run. */
  public static List<NextStep> ofLiveRun(Lease lease) {
    return List.of(cancel(lease.requestId(), lease.holder().actor()), see(lease.requestId(), "see how far it got"));
  }

  private static NextStep cancel(RequestId run, String actor) {
    return cancel(run, actor, "end the run, which rolls back and releases its lock");
  }

  private static NextStep cancel(RequestId run, String actor, String why) {
    return NextStep.ask(RunOperations.CANCEL, RunOperations.of(run), why).ownedBy(actor);
  }

  /** The steps for a run that has not ended. */
  public static List<NextStep> unfinished(Run run) {
    return unfinished(run.requestId(), run.actor().name(), run.status(), await(run.requestId()));
  }

  /** The steps for a run that has not ended, where there is a way to wait for it. */
  public static List<NextStep> unfinished(RequestId id, String actor, RunStatus status, NextStep wait) {
    return List.of(wait, see(id, "see its state"),
        cancel(id, actor, status == RunStatus.WAITING ? "stop waiting" : "stop it and roll it back"));
  }

  /** The call that waits for the end of a run. */
  public static NextStep await(RequestId id) {
    return NextStep.ask(RunOperations.AWAIT, RunOperations.of(id), "wait for its end");
  }

  private static List<NextStep> unreadableFreeze(LeaseName name) {
    return List.of(freezes(name), unfreeze(name, "lift the freeze if it is not wanted"));
  }

  private static List<NextStep> newer(LeaseName name, String version) {
    return List.of(look(name), forceRelease(name, "version " + version + " is not supported"));
  }

  /** The steps if a lock is frozen already. */
  public static List<NextStep> frozenAlready(LeaseName name) {
    return List.of(freezes(name), unfreeze(name, "lift it first to freeze it for another period"));
  }

  /** The steps after a wait that timed out now. */
  public static List<NextStep> timedOut(LeaseName name, Decision.Obstacle obstacle, Instant now) {
    return outlasting(name, LockText.outlasting(obstacle, now)).orElseGet(() -> timedOut(name));
  }

  /** The steps after a wait that timed out. */
  private static List<NextStep> timedOut(LeaseName name) {
    return List.of(NextStep.again("wait longer", WAITING_LONGEST), look(name));
  }

  /** The steps if the lock has as many waiters as it may have. */
  public static List<NextStep> crowded(LeaseName name) {
    return List.of(NextStep.again(LATER), look(name));
  }

  /** The steps after a request about a lock that someone else holds. */
  public static List<NextStep> notYours(LeaseName name) {
    return List.of(look(name));
  }

  /** The same for a request that was refused now. */
  public static List<NextStep> of(SubmitOutcome.Refusal why, String intent, Predicate<String> accepts, Instant now) {
    return why instanceof SubmitOutcome.OwnRefused(LeaseName lock, Decision.Refusal refusal)
        ? of(lock, refusal, now)
        : of(why, intent, accepts);
  }

  /**
   * The steps after a refused request for a run.
   *
   * @param accepts whether an intent accepts the parameters of the request
   */
  public static List<NextStep> of(SubmitOutcome.Refusal why, String intent, Predicate<String> accepts) {
    return switch (why) {
      case SubmitOutcome.UnknownIntent(String _, List<String> closest) -> unknown(closest, accepts);
      case SubmitOutcome.InvalidParams _,SubmitOutcome.InvalidLockName _ -> List.of(parameters(intent));
      case SubmitOutcome.OwnRefused(LeaseName lock, Decision.Refusal refusal) -> of(lock, refusal);
      case SubmitOutcome.ForeignRefused(ForeignLock.Refusal refusal) -> of(refusal);
      case SubmitOutcome.Mismatch(RequestId id) -> List.of(see(id, "see that run"),
          NextStep.again("send it as another request", new Change.NewId()));
      case SubmitOutcome.PlanChanged _ -> List.of(planned());
      case SubmitOutcome.Unavailable(ErrorCode code, String _) -> of(code);
      case SubmitOutcome.TooMany _ -> List.of(NextStep.again(LATER),
          NextStep.again("start it when there is room", new Change.Queued()),
          activeRuns());
      case SubmitOutcome.Closing() -> List.of(NextStep.again(LATER));
    };
  }

  private static NextStep planned() {
    return NextStep.again("see what it would do now",
        new Change.Planned(null));
  }

  private static List<NextStep> unknown(List<String> closest, Predicate<String> accepts) {
    List<NextStep> steps = new ArrayList<>();
    closest.stream().filter(accepts)
        .forEach(name -> steps.add(NextStep.insteadOf(name, "send it for " + name + ", if that was meant")));
    closest.stream().filter(name -> !accepts.test(name)).forEach(name -> steps.add(parameters(name)));
    steps.add(intents());
    return steps;
  }

  /** The call that shows an intent's parameters. */
  public static NextStep parameters(String intent) {
    return NextStep.ask(RunOperations.VIEW_INTENT, Given.NOTHING.with(RunOperations.INTENT, intent),
        "see the parameters of " + intent);
  }

  /** The steps after a refusal because of another tool's lock, whose live holder is never disturbed. */
  public static List<NextStep> of(ForeignLock.Refusal refusal) {
    NextStep look = NextStep.again("see its state and holder",
        new Change.Planned(new CommandLine(LockOperations.VIEW).operand(refusal.name().toString()).toString()));
    return switch (refusal.why()) {
      case ForeignLockState.Held _ -> List.of(NextStep.again("wait for it", WAITING), look);
      case ForeignLockState.Doubtful _ -> List.of(look,
          NextStep.advice("ask an operator to repair or remove " + refusal.name().path() + " by hand"));
    };
  }

  /** The call that shows a run. */
  public static NextStep see(RequestId id, String why) {
    return NextStep.ask(RunOperations.VIEW, RunOperations.of(id), why);
  }

  /** The steps for a run that was refused after a wait; the same request may be sent again. */
  public static List<NextStep> of(RunRefusal refusal, Run run) {
    String intent = run.intent();
    return switch (refusal) {
      case RunRefusal.ForeignLocked(ForeignLock.Refusal foreign) -> of(foreign);
      case RunRefusal.PlanChanged _ -> List.of(planned());
      case RunRefusal.IntentChanged _ -> List.of(parameters(intent), NextStep.again("send it again"));
      case RunRefusal.TimedOut(RunRefusal.Frozen frozen) -> outlasting(frozen, run)
          .orElseGet(() -> timedOut(frozen.lock()));
      case RunRefusal.TimedOut(RunRefusal.Blocked blocked) -> timedOut(blocked.lock());
      case RunRefusal.Blocked blocked -> List.of(NextStep.again("wait for it", WAITING), look(blocked.lock()));
      case RunRefusal.TooManyWaiters crowded -> crowded(crowded.lock());
      case RunRefusal.Stale stale -> List.of(steal(), look(stale.lock()));
      case RunRefusal.Frozen frozen -> outlasting(frozen, run).orElseGet(() -> frozen(frozen.lock()));
      case RunRefusal.Unusable(LeaseName lock, Decision.Unusable why) -> of(lock, why);
      case RunRefusal.StorageUnavailable _ -> of(ErrorCode.STORAGE_UNAVAILABLE);
      case RunRefusal.Unrecognized _ -> List.of(runs());
    };
  }

  private static Optional<List<NextStep>> outlasting(RunRefusal.Frozen frozen, Run run) {
    Instant end = run.finishedAt();
    return end == null ? Optional.empty() : outlasting(frozen.lock(), LockText.outlasting(frozen.freeze(), end));
  }
}
