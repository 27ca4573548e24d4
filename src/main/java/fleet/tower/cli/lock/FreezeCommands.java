package fleet.tower.cli.lock;

import static fleet.tower.cli.shell.Option.value;

import java.time.Duration;
import java.util.List;
import java.util.function.Function;

import fleet.tower.answer.Answers;
import fleet.tower.answer.Failures;
import fleet.tower.answer.FreezeJson;
import fleet.tower.answer.LockText;
import fleet.tower.answer.NextActions;
import fleet.tower.answer.Reply;
import fleet.tower.answer.UsageError;
import fleet.tower.cli.shell.Arguments;
import fleet.tower.cli.shell.Command;
import fleet.tower.cli.shell.Option;
import fleet.tower.home.Home;
import fleet.tower.lease.Decision;
import fleet.tower.lease.Door;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.lock.Freeze;
import fleet.tower.lock.FreezeClient;
import fleet.tower.lock.FreezeRequest;
import fleet.tower.lock.FreezeState;
import fleet.tower.lock.FreezeStore.FreezeOutcome;
import fleet.tower.lock.FreezeStore.UnfreezeOutcome;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.Exit;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.time.Timestamps;

/** {@code tower freeze} and {@code tower unfreeze}: refuse all new holders of a name for a while. */
public final class FreezeCommands {
  private static final Option ACTOR = value("actor", "A", "the actor (default: TOWER_ACTOR, else the OS user)");
  private static final Option REQUEST_ID = Option.requestId();

  private final Home home;
  private final Function<Arguments, FreezeClient> clients;

  public FreezeCommands(Home home, Function<Arguments, FreezeClient> clients) {
    this.home = home;
    this.clients = clients;
  }

  /** The commands. */
  public List<Command> all() {
    return List.of(
        new Command("freeze", List.of("NAME"),
            "block new holders of a lock for a limited time; the current holder continues",
            List.of(value("ttl", "D", "how long, 1s to 7d").needed(", as in --ttl 30m: every freeze expires"),
                value("reason", "TEXT", "why; shown to every refused caller").needed(), ACTOR, REQUEST_ID),
            this::freeze),
        new Command("unfreeze", List.of("NAME"), "lift a freeze, including another actor's; audited",
            List.of(ACTOR, REQUEST_ID),
            this::unfreeze));
  }

  private Reply freeze(Arguments arguments) {
    LeaseName name = new LeaseName(arguments.operand(0));
    FreezeRequest request = new FreezeRequest(name, requestId(arguments), home.actor(arguments.value("actor")),
        arguments.required("reason"), ttl(arguments), null);
    return switch (clients.apply(arguments).freeze(request, home.door(Door.CLI))) {
      case FreezeOutcome.Frozen(Freeze freeze) -> frozen(freeze);
      case FreezeOutcome.Kept(Freeze freeze) -> frozen(freeze);
      case FreezeOutcome.AlreadyFrozen(FreezeState standing) -> alreadyFrozen(name, standing);
    };
  }

  private static Reply frozen(Freeze freeze) {
    return Reply.of(Exit.DONE, FreezeJson.freeze(freeze)).words("lock " + freeze.name()
        + " is frozen until " + Timestamps.format(freeze.expiresAt()) + "; its current holder continues");
  }

  private static Reply alreadyFrozen(LeaseName name, FreezeState standing) {
    Decision.Refusal refusal = standing.refusal();
    if (refusal == null) {
      throw new IllegalStateException("lock " + name + " is reported as frozen, but the freeze is missing");
    }
    return Answers.refusal(name, refusal).next(NextActions.frozenAlready(name));
  }

  private Reply unfreeze(Arguments arguments) {
    LeaseName name = new LeaseName(arguments.operand(0));
    return switch (clients.apply(arguments).unfreeze(home.actor(arguments.value("actor"), Door.CLI), name,
        requestId(arguments))) {
      case UnfreezeOutcome.Unfrozen(FreezeState lifted, var _) -> Reply.of(Exit.DONE, FreezeJson.unfrozen(name, lifted))
          .words("lock " + name + " is no longer frozen"
              + (lifted instanceof FreezeState.Frozen ? "; it was " + LockText.frozen(lifted) : ""));
      case UnfreezeOutcome.NotFrozen() -> Failures.of(ErrorCode.NOT_FROZEN,
          "lock " + name + " is not frozen", "see `tower locks`", JsonWriter.line().put("lock_name", name.value()));
    };
  }

  private RequestId requestId(Arguments arguments) {
    return arguments.value("request-id").map(RequestId::new).orElseGet(home::newRequestId);
  }

  private static Ttl ttl(Arguments arguments) {
    Duration ttl = arguments.duration("ttl").orElseThrow();
    if (ttl.toMillisPart() != 0) {
      throw new UsageError("--ttl must be whole seconds, not " + ttl.toMillis() + " ms");
    }
    return new Ttl(ttl.toSeconds());
  }
}
