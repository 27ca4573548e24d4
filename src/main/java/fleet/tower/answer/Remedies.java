package fleet.tower.answer;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.Role;
import fleet.tower.answer.Remedy.Change;
import fleet.tower.foreign.ForeignLock;
import fleet.tower.foreign.ForeignLockState;
import fleet.tower.lease.Age;
import fleet.tower.lease.Decision;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.RefusalKind;
import fleet.tower.lock.queue.Wait;
import fleet.tower.operation.ApprovalOperations;
import fleet.tower.operation.CommonArgs;
import fleet.tower.operation.Given;
import fleet.tower.operation.HaltOperations;
import fleet.tower.operation.LockOperations;
import fleet.tower.operation.MailboxOperations;
import fleet.tower.operation.RunOperations;
import fleet.tower.platform.ErrorCode;
import fleet.tower.run.Run;
import fleet.tower.run.RunRefusal;
import fleet.tower.run.RunStatus;
import fleet.tower.run.submit.SubmitOutcome;

/**
 * The remedies that help after a refusal, best first, the same at both doors. A door turns them into actions that are
 * complete and that its caller is allowed to take.
 */
public final class Remedies {
  private static final Change WAITING = new Change.Waiting(LockOperations.USUAL_WAIT.toSeconds());
  private static final Change WAITING_LONGEST = new Change.Waiting(Wait.MAX_SECONDS);
  private static final String LATER = "send the same request again in a moment";

  private Remedies() {}

  /** The remedies after a refusal of which only the code is known. */
  public static List<Remedy> of(ErrorCode code) {
    return switch (code) {
      case LOCK_BLOCKED, LOCK_FROZEN, FOREIGN_LOCK -> List.of(Remedy.again("wait for it", WAITING), locks());
      case HALT_NOT_FOUND -> List.of(Remedy.ask(HaltOperations.LIST, Given.NOTHING, "list the halts"));
      case HALTED, WINDOW_CLOSED -> List.of(Remedy.again(LATER), locks());
      case LOCK_STALE -> List.of(steal(), locks());
      case LOCK_WAIT_TIMEOUT -> List.of(Remedy.again("wait longer", WAITING_LONGEST), locks());
      case LOCK_CORRUPT, UNSUPPORTED_LOCK_VERSION, LOCK_NOT_FOUND, NOT_LOCK_OWNER, LOCK_OF_RUN, RUN_ACTIVE, LOCK_LOST,
          NOT_WAITING ->
        List
            .of(locks());
      case TOO_MANY_WAITERS, TOO_MANY_WAITING_CALLS, LOCK_REQUEST_WITHDRAWN, SHUTTING_DOWN, SERVER_UNAVAILABLE,
          CANCELLED, LOCK_RELEASE_FAILED ->
        List.of(Remedy.again(LATER), Remedy.listing());
      case NOT_FROZEN -> List.of(locks());
      case INTENT_NOT_FOUND, INTENT_CHANGED, PLAN_CHANGED, INVALID_PARAMS, PARAMS_NOT_ALLOWED, NO_PROBE,
          LOCK_REQUIRED ->
        List.of(intents());
      case RUN_NOT_FOUND, RUN_FINISHED, AMBIGUOUS_RUN_ID -> List.of(runs());
      case APPROVAL_REJECTED, APPROVAL_EXPIRED, SECRETS_LOST -> List.of(
          Remedy.again("request it again, and ask for approval", new Change.NewId()), approvals());
      case APPROVAL_CLOSED, APPROVAL_NOT_FOUND, PLAN_HASH_MISMATCH, OWN_REQUEST -> List.of(approvals());
      case RUN_WAIT_TIMEOUT -> List.of(Remedy.again("wait for it again"), runs());
      case QUOTA_EXCEEDED -> List.of(Remedy.again(LATER), runs());
      case TOO_MANY_RUNS -> List.of(Remedy.again(LATER),
          activeRuns());
      case TASK_EXISTS, TASK_NOT_FOUND, TASK_COMPLETED, UNKNOWN_DEPENDENCY, DEPENDENCIES_OPEN, CLAIM_CONTENTION,
          CLAIM_NOT_OWNED ->
        List.of(TaskRemedies.list());
      case MESSAGE_EXISTS, MAILBOX_FULL, REPLY_NOT_AVAILABLE, RECEIPT_HANDLE_EXPIRED, DEAD_LETTER_NOT_FOUND -> List.of(
          Remedy.ask(MailboxOperations.LIST, Given.NOTHING, "count the messages of every mailbox"));
      case IDEMPOTENCY_MISMATCH -> List.of(Remedy.again("send it as another request", new Change.NewId()));
      case UNAUTHORIZED -> List.of(Remedy.listing(),
          Remedy.advice("send a valid token as the header `Authorization: Bearer TOKEN`;"
              + " a command sends the one in TOWER_TOKEN, or in the file that TOWER_TOKEN_FILE names"));
      case TOO_MANY_BAD_TOKENS, IDENTITY_UNAVAILABLE, INTERNAL_ERROR, START_FAILED, INVALID_CONFIG, HOST_ID_TAKEN,
          PORT_IN_USE ->
        List.of(Remedy.listing(), doctor());
      case STORAGE_UNAVAILABLE, DISK_FULL -> List.of(Remedy.again(LATER), doctor());
      case FORBIDDEN, INVALID_LOCK_NAME, INVALID_REQUEST, NOT_FOUND, METHOD_NOT_ALLOWED, NOT_IMPLEMENTED,
          HTTP_VERSION_NOT_SUPPORTED, NOT_ACCEPTABLE, UNSUPPORTED_MEDIA_TYPE, CONTENT_TOO_LARGE, HEADERS_TOO_LARGE,
          USAGE, FILE_NOT_FOUND, COMMAND_NOT_RUN, SERVER_UNTRUSTED ->
        List.of(Remedy.listing());
      case TOKEN_NOT_FOUND -> List.of(Remedy.command(null, "tower token list", "list the tokens"));
      case HOME_IN_USE, MOVE_CLASHES, HOME_MOVED -> List.of(
          Remedy.command(null, "tower move --help", "see how a home is moved"));
      case NO_HOME, NOT_A_HOME -> List.of(Remedy.command(null, "tower init --help", "see how a home is created"));
      case AMBIGUOUS_HOME -> List.of(Remedy.command(null, "tower home", "see which home other commands use"));
      case HOME_UNTRUSTED -> List.of(Remedy.command(null, "tower doctor", "see what is wrong with it"));
    };
  }

  /**
   * The remedies of a caller who may not do what it requested.
   *
   * @param needed the role that may; null if the reason is not a role
   */
  public static List<Remedy> forbidden(@Nullable Role needed) {
    List<Remedy> remedies = new ArrayList<>();
    remedies.add(Remedy.listing());
    if (needed == Role.OPERATOR) {
      remedies.add(Remedy.again(needed, "it needs the role " + needed));
    }
    return remedies;
  }

  private static Remedy approvals() {
    return Remedy.ask(ApprovalOperations.LIST, Given.NOTHING, "list the runs that wait for approval");
  }

  private static Remedy locks() {
    return Remedy.ask(LockOperations.LIST, Given.NOTHING, "list the locks");
  }

  private static Remedy intents() {
    return Remedy.ask(RunOperations.LIST_INTENTS, Given.NOTHING, "list the intents, and the errors in their files");
  }

  private static Remedy runs() {
    return Remedy.ask(RunOperations.LIST, Given.NOTHING, "see the newest runs");
  }

  private static Remedy activeRuns() {
    return Remedy.ask(RunOperations.LIST, Given.NOTHING.with(RunOperations.STATUS, RunStatus.RUNNING.toString()),
        "see the active runs");
  }

  private static Remedy doctor() {
    return Remedy.command(Role.OPERATOR, "tower doctor", "examine the home on the service's host");
  }

  private static Remedy steal() {
    return Remedy.again(Role.OPERATOR, "take it, if its holder is really gone",
        new Change.Forced(true));
  }

  /** The call that shows a lock. */
  public static Remedy look(LeaseName name) {
    return Remedy.ask(LockOperations.VIEW, LockOperations.of(name), "see who holds it, and until when");
  }

  private static Remedy forceRelease(LeaseName name, String reason) {
    return forceRelease(name, reason, "remove it if it is not held");
  }

  private static Remedy forceRelease(LeaseName name, String reason, String why) {
    return Remedy.ask(LockOperations.FORCE_RELEASE, LockOperations.of(name).with(CommonArgs.REASON, reason), why);
  }

  private static Remedy unfreeze(LeaseName name, String why) {
    return Remedy.ask(LockOperations.UNFREEZE, LockOperations.of(name), why);
  }

  private static Remedy freezes(LeaseName name) {
    return freezes(name, "see who froze it, and until when");
  }

  private static Remedy freezes(LeaseName name, String why) {
    return Remedy.ask(LockOperations.VIEW, LockOperations.of(name), why);
  }

  /** The remedies after a request for a lock that was refused now. */
  public static List<Remedy> of(LeaseName name, Decision.Refusal refusal, Instant now) {
    return outlasting(name, LockText.outlasting(refusal, now)).orElseGet(() -> of(name, refusal));
  }

  private static List<Remedy> frozen(LeaseName name) {
    return List.of(Remedy.again("wait until the freeze ends", WAITING_LONGEST), freezes(name));
  }

  /** The remedies if a freeze lasts longer than any wait; empty if it does not. */
  private static Optional<List<Remedy>> outlasting(LeaseName name, Optional<String> words) {
    return words.map(until -> List.of(freezes(name, until + ", or ask who froze it to lift it"),
        Remedy.again("wait, in case it is lifted earlier", WAITING_LONGEST)));
  }

  /** The remedies after a refused request for a lock, whenever it was refused. */
  public static List<Remedy> of(LeaseName name, Decision.Refusal refusal) {
    return switch (refusal) {
      case Decision.Blocked(Lease lease, Age _) when lease.holder().isGone() -> afterOwner(lease,
          forceRelease(name, LockText.GONE, "free it before it becomes stale"),
          Remedy.again("wait for it", WAITING), look(name));
      case Decision.Blocked _ -> List.of(Remedy.again("wait for it", WAITING), look(name));
      case Decision.Stale(Lease lease, Age _) -> afterOwner(lease, steal(), look(name));
      case Decision.Frozen _ -> frozen(name);
      case Decision.FrozenUnreadably _ -> unreadableFreeze(name);
      case Decision.LimitReached _ -> List.of(locks(), Remedy.again("try again when one of the locks is released"));
      case Decision.Halted _,Decision.WindowClosed _ -> List.of(Remedy.again(LATER), look(name));
      case Decision.OfRun of -> ofRun(name, of);
      case Decision.Corrupt _ -> List.of(look(name), forceRelease(name, "the lock cannot be read"));
      case Decision.Unsupported(String version) -> newer(name, version);
    };
  }

  /** The remedies after that of the owner of a lock without a live holder; a run's lock has no such owner. */
  private static List<Remedy> afterOwner(Lease lease, Remedy... others) {
    List<Remedy> remedies = new ArrayList<>();
    if (!lease.isOfRun()) {
      remedies.add(Remedy
          .ask(LockOperations.RELEASE,
              LockOperations.of(lease.name()).with(LockOperations.OWNING, lease.requestId().value()),
              LockText.OF_OWNER)
          .onlyFor(lease.holder().actor()));
    }
    remedies.addAll(List.of(others));
    return remedies;
  }

  private static List<Remedy> ofRun(LeaseName name, Decision.OfRun of) {
    return of.isOver()
        ? List.of(see(of.run(), "see how far it got"),
            forceRelease(name, "its run was interrupted", "free the lock that the run left"))
        : List.of(cancel(of.run(), of.actor()), see(of.run(), "see how far it got"));
  }

  /** The remedies after a forced release that would take the lock from a live run. */
  public static List<Remedy> ofLiveRun(Lease lease) {
    return List.of(cancel(lease.requestId(), lease.holder().actor()), see(lease.requestId(), "see how far it got"));
  }

  private static Remedy cancel(RequestId run, String actor) {
    return cancel(run, actor, "end the run, which rolls back and releases its lock");
  }

  private static Remedy cancel(RequestId run, String actor, String why) {
    return Remedy.ask(RunOperations.CANCEL, RunOperations.of(run), why).ownedBy(actor);
  }

  /** Asks what became of an interrupted run. */
  static Remedy settle(Run run) {
    return Remedy.ask(RunOperations.SETTLE, RunOperations.of(run.requestId()),
        "tell by its probe whether it was applied").ownedBy(run.actor().name());
  }

  /** The remedies for a run that has not ended. */
  public static List<Remedy> unfinished(Run run) {
    return unfinished(run.requestId(), run.actor().name(), run.status(), await(run.requestId()));
  }

  /** The remedies for a run that has not ended, where there is a way to wait for it. */
  public static List<Remedy> unfinished(RequestId id, String actor, RunStatus status, Remedy wait) {
    List<Remedy> remedies = new ArrayList<>();
    if (status == RunStatus.AWAITING_APPROVAL) {
      remedies.add(Remedy.ask(ApprovalOperations.VIEW, ApprovalOperations.of(id),
          "see what is to be approved, and ask a person who may: " + ApprovalText.command(id)));
    }
    remedies.addAll(List.of(wait, see(id, "see its state"), cancel(id, actor, switch (status) {
      case AWAITING_APPROVAL -> "withdraw it";
      case WAITING -> "stop waiting";
      case RUNNING, SUCCEEDED, FAILED, CANCELLED, TIMED_OUT, LOCK_LOST, INTERRUPTED, REFUSED ->
        "stop it and roll it back";
    })));
    return remedies;
  }

  /** The call that waits for the end of a run. */
  public static Remedy await(RequestId id) {
    return Remedy.ask(RunOperations.AWAIT, RunOperations.of(id), "wait for its end");
  }

  private static List<Remedy> unreadableFreeze(LeaseName name) {
    return List.of(freezes(name), unfreeze(name, "lift the freeze if it is not wanted"));
  }

  private static List<Remedy> newer(LeaseName name, String version) {
    return List.of(look(name), forceRelease(name, "version " + version + " is not supported"));
  }

  /** The remedies if a lock is frozen already. */
  public static List<Remedy> frozenAlready(LeaseName name) {
    return List.of(freezes(name), unfreeze(name, "lift it first to freeze it for another period"));
  }

  /** The remedies after a wait that timed out now. */
  public static List<Remedy> timedOut(LeaseName name, Decision.Obstacle obstacle, Instant now) {
    return outlasting(name, LockText.outlasting(obstacle, now)).orElseGet(() -> timedOut(name));
  }

  /** The remedies after a wait that timed out. */
  private static List<Remedy> timedOut(LeaseName name) {
    return List.of(Remedy.again("wait longer", WAITING_LONGEST), look(name));
  }

  /** The remedies if the lock has as many waiters as it may have. */
  public static List<Remedy> crowded(LeaseName name) {
    return List.of(Remedy.again(LATER), look(name));
  }

  /** The remedies after a request about a lock that someone else holds. */
  public static List<Remedy> notYours(LeaseName name) {
    return List.of(look(name));
  }

  /** The same for a request that was refused now. */
  public static List<Remedy> of(SubmitOutcome.Refusal why, String intent, Predicate<String> accepts, Instant now) {
    return why instanceof SubmitOutcome.OwnRefused(LeaseName lock, Decision.Refusal refusal)
        ? of(lock, refusal, now)
        : of(why, intent, accepts);
  }

  /**
   * The remedies after a refused request for a run.
   *
   * @param accepts whether an intent accepts the parameters of the request
   */
  public static List<Remedy> of(SubmitOutcome.Refusal why, String intent, Predicate<String> accepts) {
    return switch (why) {
      case SubmitOutcome.UnknownIntent(String _, List<String> closest) -> unknown(closest, accepts);
      case SubmitOutcome.InvalidParams _,SubmitOutcome.NotAllowed _,SubmitOutcome.InvalidLockName _ ->
        List.of(parameters(intent));
      case SubmitOutcome.Barred(Decision.Barred barred) -> of(RefusalKind.of(barred).code());
      case SubmitOutcome.OwnRefused(LeaseName lock, Decision.Refusal refusal) -> of(lock, refusal);
      case SubmitOutcome.ForeignRefused(ForeignLock.Refusal refusal) -> of(refusal);
      case SubmitOutcome.Mismatch(RequestId id) -> List.of(see(id, "see that run"),
          Remedy.again("send it as another request", new Change.NewId()));
      case SubmitOutcome.PlanChanged _ -> List.of(planned());
      case SubmitOutcome.Unavailable(ErrorCode code, String _) -> of(code);
      case SubmitOutcome.OverQuota _ -> of(ErrorCode.QUOTA_EXCEEDED);
      case SubmitOutcome.TooMany _ -> List.of(Remedy.again(LATER),
          Remedy.again("start it when there is room", new Change.Queued()),
          activeRuns());
      case SubmitOutcome.Closing() -> List.of(Remedy.again(LATER));
    };
  }

  private static Remedy planned() {
    return Remedy.again("see what it would do now",
        new Change.Planned(null));
  }

  private static List<Remedy> unknown(List<String> closest, Predicate<String> accepts) {
    List<Remedy> remedies = new ArrayList<>();
    closest.stream().filter(accepts)
        .forEach(name -> remedies.add(Remedy.insteadOf(name, "send it for " + name + ", if that was meant")));
    closest.stream().filter(name -> !accepts.test(name)).forEach(name -> remedies.add(parameters(name)));
    remedies.add(intents());
    return remedies;
  }

  /** The call that shows an intent's parameters. */
  public static Remedy parameters(String intent) {
    return Remedy.ask(RunOperations.VIEW_INTENT, Given.NOTHING.with(RunOperations.INTENT, intent),
        "see the parameters of " + intent);
  }

  /** The remedies after a refusal because of another tool's lock, whose live holder is never disturbed. */
  public static List<Remedy> of(ForeignLock.Refusal refusal) {
    Remedy look = Remedy.again("see its state and holder",
        new Change.Planned(new CommandLine(LockOperations.VIEW).operand(refusal.name().toString()).toString()));
    return switch (refusal.why()) {
      case ForeignLockState.Held _ -> List.of(Remedy.again("wait for it", WAITING), look);
      case ForeignLockState.Doubtful _ -> List.of(look,
          Remedy.advice("ask an operator to repair or remove " + refusal.name().path() + " by hand"));
    };
  }

  /** The call that shows a run. */
  public static Remedy see(RequestId id, String why) {
    return Remedy.ask(RunOperations.VIEW, RunOperations.of(id), why);
  }

  /** The remedies for a run that was refused after a wait; the same request may be sent again. */
  public static List<Remedy> of(RunRefusal refusal, Run run) {
    String intent = run.intent();
    return switch (refusal) {
      case RunRefusal.ForeignLocked(ForeignLock.Refusal foreign) -> of(foreign);
      case RunRefusal.PlanChanged _ -> List.of(planned());
      case RunRefusal.NotAllowed _ -> List.of(parameters(intent));
      case RunRefusal.OfApproval approval -> of(Objects.requireNonNull(approval.code()));
      case RunRefusal.Barred(Decision.Barred why) -> of(RefusalKind.of(why).code());
      case RunRefusal.IntentChanged _ -> List.of(parameters(intent), Remedy.again("send it again"));
      case RunRefusal.TimedOut(RunRefusal.Frozen frozen) -> outlasting(frozen, run)
          .orElseGet(() -> timedOut(frozen.lock()));
      case RunRefusal.TimedOut(RunRefusal.Blocked blocked) -> timedOut(blocked.lock());
      case RunRefusal.Blocked blocked -> List.of(Remedy.again("wait for it", WAITING), look(blocked.lock()));
      case RunRefusal.TooManyWaiters crowded -> crowded(crowded.lock());
      case RunRefusal.Stale stale -> List.of(steal(), look(stale.lock()));
      case RunRefusal.Frozen frozen -> outlasting(frozen, run).orElseGet(() -> frozen(frozen.lock()));
      case RunRefusal.Unusable(LeaseName lock, Decision.Unusable why) -> of(lock, why);
      case RunRefusal.StorageUnavailable _ -> of(ErrorCode.STORAGE_UNAVAILABLE);
      case RunRefusal.Unrecognized _ -> List.of(runs());
    };
  }

  private static Optional<List<Remedy>> outlasting(RunRefusal.Frozen frozen, Run run) {
    Instant end = run.finishedAt();
    return end == null ? Optional.empty() : outlasting(frozen.lock(), LockText.outlasting(frozen.freeze(), end));
  }
}
