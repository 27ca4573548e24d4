package fleet.tower.cli.lock;

import static fleet.tower.cli.shell.Option.flag;
import static fleet.tower.cli.shell.Option.value;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

import fleet.tower.answer.Answers;
import fleet.tower.answer.Failures;
import fleet.tower.answer.LockJson;
import fleet.tower.answer.Reply;
import fleet.tower.answer.UsageError;
import fleet.tower.cli.shell.Arguments;
import fleet.tower.cli.shell.Command;
import fleet.tower.cli.shell.Option;
import fleet.tower.home.Home;
import fleet.tower.lease.Actor;
import fleet.tower.lease.Door;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseState;
import fleet.tower.lease.Owner;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.ForceReleaseOutcome;
import fleet.tower.lock.LockClient;
import fleet.tower.lock.LockClient.ForcedRelease;
import fleet.tower.lock.LockView;
import fleet.tower.lock.Locks;
import fleet.tower.lock.Locks.Result;
import fleet.tower.lock.ReleaseOutcome;
import fleet.tower.lock.RenewOutcome;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.Exit;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.time.TimeSpans;
import fleet.tower.platform.time.Timestamps;

/** The commands of a lock's owner, and the operator's {@code force-release}. */
public final class OwnerCommands {
  private static final int MAX_REASON = 1000;
  private static final Option REQUEST_ID = Option
      .requestId("the id of the request that acquired the lock").needed();
  private static final Option ACTOR = value("actor", "A",
      "require this owner (default: the request id alone decides)");
  private static final Option TOKEN = value("token", "N", "require this fencing token");

  private final Home home;
  private final Function<Arguments, LockClient> clients;

  public OwnerCommands(Home home, Function<Arguments, LockClient> clients) {
    this.home = home;
    this.clients = clients;
  }

  /** The commands. */
  public List<Command> all() {
    return List.of(
        new Command("heartbeat", List.of("NAME"), "renew a lock that I hold", List.of(REQUEST_ID, TOKEN, ACTOR),
            this::heartbeat),
        new Command("unlock", List.of("NAME"), "release a lock that I hold",
            List.of(REQUEST_ID, TOKEN, ACTOR, value("result", "success|failure|aborted", "how the work ended"),
                value("failure-step", "S", "the step that failed")),
            this::unlock),
        new Command("force-release", List.of("NAME"), "remove a lock regardless of its holder; audited",
            List.of(value("reason", "TEXT", "why, for the audit log").needed(), value("actor", "A", "who does it"),
                flag("abandon", "take it even from a live run, which is stopped and not rolled back"),
                Option.requestId()),
            this::forceRelease),
        new Command("fence", List.of("NAME"), "exit 0 if the token is the current holder's, 6 if not",
            List.of(value("token", "N", "the fencing token to check").needed()), this::fence));
  }

  private Reply heartbeat(Arguments arguments) {
    LeaseName name = new LeaseName(arguments.operand(0));
    Owner by = owner(arguments);
    return switch (clients.apply(arguments).renew(actor(arguments), name, by, token(arguments))) {
      case RenewOutcome.Renewed(var held, long late) -> renewed(held.lease(), late);
      case RenewOutcome.Gone() -> Answers.notFound(name);
      case RenewOutcome.Taken(Lease holder) when holder.isHeldBy(by, FencingToken.NONE) -> Failures.of(
          ErrorCode.LOCK_LOST,
          "lock " + name + " was lost: its fencing token is " + holder.token() + " now", "see `tower why " + name + "`",
          JsonWriter.line().put("lock_name", name.value()).put("fencing_token", holder.token().value()));
      case RenewOutcome.Taken(Lease holder) -> Answers.notOwner(name, holder);
      case RenewOutcome.Refused(var refusal) -> Answers.refusal(name, refusal);
    };
  }

  private static Reply renewed(Lease lease, long lateSeconds) {
    Reply reply = Reply.of(Exit.DONE, LockJson.renewed(lease, lateSeconds));
    if (lateSeconds > 0) {
      reply.words("tower: warning: lock " + lease.name() + " had been stale for "
          + TimeSpans.format(Duration.ofSeconds(lateSeconds)) + "; it was not taken meanwhile");
    }
    return reply.words("lock " + lease.name() + " renewed until " + Timestamps.format(lease.expiresAt()));
  }

  private Reply unlock(Arguments arguments) {
    LeaseName name = new LeaseName(arguments.operand(0));
    Owner by = owner(arguments);
    Result result = arguments.value("result").map(OwnerCommands::result).orElse(Locks.Result.SUCCESS);
    String failureStep = arguments.value("failure-step").orElse(null);
    LockClient locks = clients.apply(arguments);
    return switch (locks.release(actor(arguments), name, by, token(arguments), result, failureStep)) {
      case ReleaseOutcome.Released(Lease lease, var at) -> Reply
          .of(Exit.DONE, LockJson.released(name, lease, at))
          .words("lock " + name + " released after " + TimeSpans.format(Duration.between(lease.createdAt(), at)));
      case ReleaseOutcome.Absent() -> Reply
          .of(Exit.DONE, LockJson.notReleased(name))
          .words("tower: warning: lock " + name + " is not held; nothing was released");
      case ReleaseOutcome.NotOwner(Lease holder) -> Answers.notOwner(name, holder);
      case ReleaseOutcome.Refused(var refusal) -> Answers.refusal(name, refusal);
      case ReleaseOutcome.Failed(Lease _, var _, String error) -> releaseFailed(locks, name, error);
    };
  }

  private Reply forceRelease(Arguments arguments) {
    LeaseName name = new LeaseName(arguments.operand(0));
    String reason = arguments.required("reason");
    if (reason.isBlank() || reason.length() > MAX_REASON) {
      throw new UsageError("--reason must say why in 1 to " + MAX_REASON + " characters");
    }
    InvalidValue.requirePlainLines("reason", reason);
    RequestId requestId = arguments.value("request-id").map(RequestId::new).orElseGet(home::newRequestId);
    LockClient locks = clients.apply(arguments);
    return switch (locks.forceRelease(actor(arguments), name,
        new ForcedRelease(requestId, reason, arguments.has("abandon")))) {
      case ForceReleaseOutcome.Removed(var previous, var _) -> Reply
          .of(Exit.DONE, LockJson.removed(name, previous))
          .words("lock " + name + " removed; it was "
              + (previous.lease() == null ? "unreadable" : "held by " + previous.lease().describeHolder()));
      case ForceReleaseOutcome.Spared(Lease lease) -> Answers.runActive(name, lease);
      case ForceReleaseOutcome.Absent() -> Answers.notFound(name);
      case ForceReleaseOutcome.Failed(var _, String error) -> releaseFailed(locks, name, error);
    };
  }

  private Reply fence(Arguments arguments) {
    LeaseName name = new LeaseName(arguments.operand(0));
    FencingToken token = new FencingToken(
        arguments.number("token").orElseThrow());
    LockView view = clients.apply(arguments).view(name);
    Optional<FencingToken> current = view.leaseState() instanceof LeaseState.Held(Lease lease, var _)
        ? Optional.of(lease.token())
        : Optional.empty();
    boolean isCurrent = current.filter(token::equals).isPresent();
    String word = isCurrent ? "current" : "superseded";
    JsonWriter json = JsonWriter.line().put("lock_name", name.value()).put("token", token.value())
        .put("state", word).put("lock_state", view.state().toString());
    current.ifPresent(value -> json.put("fencing_token", value.value()));
    return Reply.of(isCurrent ? Exit.DONE : Exit.LOST, json).data(word);
  }

  private static Reply releaseFailed(LockClient locks, LeaseName name, String error) {
    String path = locks.pathOf(name);
    return Failures.of(ErrorCode.LOCK_RELEASE_FAILED, "lock " + name + " could not be removed: " + error,
        "try again once " + path + " is writable, or let it go stale",
        JsonWriter.line().put("lock_name", name.value()).put("lock_path", path).put("error", error));
  }

  /**
   * A user who can write the files of a home can end every lock in it, so an actor is compared only if one is given.
   */
  private static Owner owner(Arguments arguments) {
    return Owner.ofClient(new RequestId(arguments.required("request-id")), arguments.value("actor").orElse(null));
  }

  private Actor actor(Arguments arguments) {
    return home.actor(arguments.value("actor"), Door.CLI);
  }

  private static FencingToken token(Arguments arguments) {
    return arguments.number("token").map(FencingToken::new).orElse(FencingToken.NONE);
  }

  private static Result result(String text) {
    try {
      return Result.valueOf(text.toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      throw new UsageError("--result '" + text + "' must be success, failure or aborted");
    }
  }
}
