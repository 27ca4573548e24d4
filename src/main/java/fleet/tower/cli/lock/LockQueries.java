package fleet.tower.cli.lock;

import static fleet.tower.cli.shell.Option.flag;
import static fleet.tower.cli.shell.Option.value;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

import fleet.tower.answer.ForeignLockText;
import fleet.tower.answer.HaltText;
import fleet.tower.answer.LockAnswers;
import fleet.tower.answer.LockIntents;
import fleet.tower.answer.LockJson;
import fleet.tower.answer.LockText;
import fleet.tower.answer.NextAction;
import fleet.tower.answer.RefusedCommand;
import fleet.tower.answer.Reply;
import fleet.tower.answer.StrandedRun;
import fleet.tower.answer.Table;
import fleet.tower.answer.UsageError;
import fleet.tower.answer.WhyText;
import fleet.tower.cli.remote.Requests;
import fleet.tower.cli.shell.Arguments;
import fleet.tower.cli.shell.Command;
import fleet.tower.foreign.ForeignLock;
import fleet.tower.foreign.ForeignLockState;
import fleet.tower.foreign.ForeignName;
import fleet.tower.lease.Age;
import fleet.tower.lease.Decision;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseState;
import fleet.tower.lock.Freeze;
import fleet.tower.lock.FreezeState;
import fleet.tower.lock.LockClient;
import fleet.tower.lock.LockView;
import fleet.tower.lock.RefusalKind;
import fleet.tower.operation.LockOperations;
import fleet.tower.operation.RunOperations;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.Exit;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.platform.time.TimeSpans;
import fleet.tower.platform.time.Timestamps;

/** The commands that read locks and write nothing. */
public final class LockQueries {
  private final Function<Arguments, LockClient> clients;
  private final Requests requests;
  private final Function<ForeignName, ForeignLockState> foreign;
  private final TimeSource time;

  /** @param foreign reads another tool's lock on this host */
  public LockQueries(Function<Arguments, LockClient> clients, Requests requests,
      Function<ForeignName, ForeignLockState> foreign, TimeSource time) {
    this.clients = clients;
    this.requests = requests;
    this.foreign = foreign;
    this.time = time;
  }

  /** The commands. */
  public List<Command> all() {
    return List.of(
        new Command(LockOperations.LIST.words(), List.of("[NAME]"), "list the locks, or show one",
            List.of(flag("names", "print only the names")), this::locks),
        new Command("check", List.of("NAME"), "print active (exit 1), stale (exit 0) or free (exit 3)", List.of(),
            this::check),
        new Command("fence", List.of("NAME"), "exit 0 if the token is the current holder's, 6 if not",
            List.of(value("token", "N", "the fencing token to check").needed()), this::fence),
        new Command("exists", List.of("NAME"), "exit 0 if the lock exists, 3 if not; prints nothing", List.of(),
            this::exists),
        new Command(LockOperations.VIEW.words(), List.of("NAME"),
            "explain why a lock, or another tool's lock such as beads:DIR, is not available, and what would help",
            List.of(Requests.ACTOR), this::why));
  }

  private Reply check(Arguments arguments) {
    LockClient locks = clients.apply(arguments);
    LockView view = locks.view(new LeaseName(arguments.operand(0)));
    Exit exit = switch (view.state()) {
      case STALE -> Exit.DONE;
      case ACTIVE, CORRUPT, UNSUPPORTED -> Exit.FAILED;
      case FREE -> Exit.NOT_FOUND;
    };
    List<HaltText> halts = halts(view.name(), List.of(), arguments).halts();
    Reply reply = Reply.lazily(exit, () -> halted(json(locks, view), halts)).data(view.state().toString());
    halts.forEach(halt -> reply.words(halt.sentence()));
    return view.leaseState() instanceof LeaseState.Held(Lease lease, Age _) && lease.holder().isGone()
        ? reply.words("lock " + view.name() + " is held by " + lease.describeHolder()
            + LockText.fate(lease, view.state() == LeaseState.State.STALE))
        : reply;
  }

  private static JsonWriter halted(JsonWriter json, List<HaltText> halts) {
    return halts.isEmpty() ? json : json.list("halts", halts.stream().map(it -> it.halt().raw()).toList());
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

  private Reply exists(Arguments arguments) {
    LeaseName name = new LeaseName(arguments.operand(0));
    boolean exists = clients.apply(arguments).view(name).state() != LeaseState.State.FREE;
    return Reply.of(exists ? Exit.DONE : Exit.NOT_FOUND,
        JsonWriter.line().put("lock_name", name.value()).put("exists", exists));
  }

  private Reply why(Arguments arguments) {
    if (ForeignName.Kind.of(arguments.operand(0)).isPresent()) {
      return whyForeign(ForeignName.parse(arguments.operand(0)), arguments);
    }
    LeaseName name = new LeaseName(arguments.operand(0));
    LockClient locks = clients.apply(arguments);
    LockView view = locks.view(name);
    List<LockIntents> intents = LockIntents.of(name, intents(arguments));
    WhyText why = new WhyText(view, locks.waiters(name), intents, halts(name, intents, arguments),
        stranded(name, arguments), locks.callerIsOperator(), time.now());
    List<WhyText.Reason> reasons = why.reasons();
    JsonWriter json = why(name.value(), why.isFree() ? "free" : "blocked", reasons);
    if (why.isFree() && reasons.isEmpty()) {
      return Reply.of(exitOf(view), json).data("lock " + name + " is free");
    }
    json.put("state", view.state().toString());
    LockJson.putIfGone(json, view);
    Reply reply = Reply.of(why.isHalted() ? ErrorCode.HALTED.exit() : exitOf(view), withActions(json, reasons));
    if (why.isFree()) {
      reply.data("lock " + name + " is free");
    }
    for (WhyText.Reason reason : reasons) {
      reply.data(reason.type() + ": " + reason.message());
      reason.actions().forEach(action -> reply.data("  " + help(action)));
    }
    return reply;
  }

  private static JsonWriter why(String name, String status, List<WhyText.Reason> reasons) {
    return JsonWriter.line().put("name", name).put("status", status).list("reasons",
        reasons.stream().map(reason -> reason.json().end()).toList());
  }

  private static JsonWriter withActions(JsonWriter json, List<WhyText.Reason> reasons) {
    return json.list("next_actions", reasons.stream().flatMap(reason -> reason.actions().stream()).distinct()
        .map(NextAction::json).toList());
  }

  private static String help(NextAction action) {
    return action.command() == null ? action.why() : "try: " + action.command();
  }

  /** The intents of the home or service; none if they cannot be read, because they only refine the advice. */
  private List<JsonObject> intents(Arguments arguments) {
    try {
      return requests.asking(arguments).ask(RunOperations.LIST_INTENTS).objects("intents");
    } catch (StorageException | RefusedCommand unknown) {
      return List.of();
    }
  }

  /** The halts in force that may cover a request for a lock; none if they cannot be read: it is explained without them. */
  private HaltText.OfLock halts(LeaseName name, List<LockIntents> intents, Arguments arguments) {
    try {
      List<HaltText> inForce = requests.halts(arguments);
      return HaltText.OfLock.of(inForce, name, inForce.isEmpty() ? Set.of() : requests.actors(arguments),
          intents.stream().map(LockIntents::intent).toList());
    } catch (StorageException | RefusedCommand unknown) {
      return new HaltText.OfLock(List.of(), false);
    }
  }

  /** The queued runs that no live host takes; none if they cannot be read: the lock is explained without them. */
  private List<StrandedRun> stranded(LeaseName name, Arguments arguments) {
    try {
      return requests.stranded(arguments, name);
    } catch (StorageException | RefusedCommand unknown) {
      return List.of();
    }
  }

  /** A foreign lock belongs to one host, so a service cannot read it. Its path is read as in an intent. */
  private Reply whyForeign(ForeignName name, Arguments arguments) {
    if (arguments.has("server")) {
      throw new UsageError("a foreign lock can be checked only on its own host; omit --server");
    }
    ForeignLockState verdict = foreign.apply(name);
    String message = "foreign lock " + name + " is " + verdict.describe();
    return switch (verdict) {
      case ForeignLockState.Passable _ -> Reply.of(Exit.DONE, why(name.toString(), "free", List.of())).data(message);
      case ForeignLockState.Blocking why -> {
        ForeignLock.Refusal refusal = new ForeignLock.Refusal(name, why);
        WhyText.Reason reason = new WhyText.Reason(ErrorCode.FOREIGN_LOCK.code(),
            message + "; " + ForeignLockText.advice(refusal),
            List.of(NextAction.command(ForeignLockText.command(refusal), "see its state and holder")));
        yield Reply.of(Exit.HELD, withActions(why(name.toString(), "blocked", List.of(reason)), List.of(reason)))
            .data(reason.type() + ": " + reason.message()).data("  " + help(reason.actions().getFirst()));
      }
    };
  }

  /** The exit code that {@code tower lock NAME} would have now. */
  private static Exit exitOf(LockView view) {
    Decision.Refusal freeze = view.freeze().refusal();
    if (freeze != null) {
      return RefusalKind.of(freeze).code().exit();
    }
    return switch (view.leaseState()) {
      case LeaseState.Vacant() -> Exit.DONE;
      case LeaseState.Held(Lease lease, Age age) when age.exceeds(lease.ttl()) -> ErrorCode.LOCK_STALE.exit();
      case LeaseState.Held _ -> ErrorCode.LOCK_BLOCKED.exit();
      case LeaseState.Corrupt _ -> ErrorCode.LOCK_CORRUPT.exit();
      case LeaseState.Unsupported _ -> ErrorCode.UNSUPPORTED_LOCK_VERSION.exit();
    };
  }

  private Reply locks(Arguments arguments) {
    return arguments.optionalOperand(0).map(name -> one(new LeaseName(name), arguments))
        .orElseGet(() -> all(arguments));
  }

  private Reply one(LeaseName name, Arguments arguments) {
    LockClient locks = clients.apply(arguments);
    LockView view = locks.view(name);
    if (view.isFree()) {
      return Reply.of(LockAnswers.notFound(name));
    }
    int waiters = locks.waiters(name);
    Reply reply = Reply.of(Exit.DONE, LockJson.view(view, waiters))
        .data(name + ": " + view.state() + (view.isFrozen() ? ", frozen" : ""));
    switch (view.leaseState()) {
      case LeaseState.Held(Lease lease, Age age) -> reply
          .data("  held by    " + lease.describeHolder() + ", pid " + lease.holder().pid()
              + LockText.fate(lease, view.state() == LeaseState.State.STALE))
          .data("  held for   " + LockAnswers.heldFor(lease, age)).data("  heartbeat  " + LockAnswers.ago(age))
          .data("  ttl        " + TimeSpans.format(lease.ttl().duration()))
          .data("  token      " + lease.token());
      case LeaseState.Corrupt(String problem) -> reply.data("  problem    " + problem);
      case LeaseState.Unsupported(String version) -> reply.data("  version    " + version);
      case LeaseState.Vacant() -> {
      }
    }
    switch (view.freeze()) {
      case FreezeState.None() -> {
      }
      case FreezeState.Frozen(Freeze freeze) -> reply.data("  frozen by  " + freeze.actor())
          .data("  until      " + Timestamps.format(freeze.expiresAt())).data("  reason     " + freeze.reason());
      case FreezeState.Corrupt(String path, String problem) -> reply.data("  frozen by  " + path)
          .data("  problem    " + problem);
    }
    if (waiters > 0) {
      reply.data("  waiting    " + waiters);
    }
    return reply.data("  path       " + view.path());
  }

  private Reply all(Arguments arguments) {
    LockClient locks = clients.apply(arguments);
    List<LockView> views = locks.list();
    Reply reply = Reply.ofJson(Exit.DONE, "["
        + String.join(",", views.stream().map(one -> json(locks, one).end()).toList()) + "]");
    if (arguments.has("names")) {
      views.forEach(view -> reply.data(view.name().value()));
      return reply;
    }
    if (views.isEmpty()) {
      return reply.data("no locks");
    }
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("NAME", "STATE", "ACTOR", "HOST", "INTENT", "HELD", "HEARTBEAT", "TTL", "REQUEST"));
    views.forEach(view -> rows.add(row(view)));
    Table.lines(rows).forEach(reply::data);
    return reply;
  }

  private static JsonWriter json(LockClient locks, LockView view) {
    return LockJson.view(view, locks.waiters(view.name()));
  }

  private List<String> row(LockView view) {
    boolean isGone = view.leaseState() instanceof LeaseState.Held held && held.lease().holder().isGone();
    String mark = (isGone ? ",gone" : "") + (view.isFrozen() ? ",frozen" : "");
    List<String> row = new ArrayList<>(List.of(view.name().value(), view.state() + mark));
    if (view.leaseState() instanceof LeaseState.Held(Lease lease, Age age)) {
      row.addAll(List.of(lease.holder().actor(), lease.holder().hostId(), lease.holder().intent(),
          LockAnswers.heldFor(lease, age), LockAnswers.ago(age), TimeSpans.format(lease.ttl().duration()),
          lease.requestId().value()));
    }
    return row;
  }
}
