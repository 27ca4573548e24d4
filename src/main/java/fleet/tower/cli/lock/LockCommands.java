package fleet.tower.cli.lock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import fleet.tower.answer.HaltText;
import fleet.tower.answer.LockJson;
import fleet.tower.answer.Reply;
import fleet.tower.answer.Table;
import fleet.tower.cli.remote.Requests;
import fleet.tower.cli.shell.Arguments;
import fleet.tower.cli.shell.Command;
import fleet.tower.cli.shell.Option;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.Ttl;
import fleet.tower.lock.AcquireRequest;
import fleet.tower.operation.HaltOperations;
import fleet.tower.operation.LockOperations;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.Exit;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.text.Console;

/** The commands that change locks and freezes. */
public final class LockCommands {
  private final Requests requests;
  private final Console console;

  public LockCommands(Requests requests, Console console) {
    this.requests = requests;
    this.console = console;
  }

  /** {@code tower lock}, which prints the request id that owns the lock, and warns of a short ttl. */
  public Command lock() {
    Command lock = requests.command(LockOperations.ACQUIRE,
        (reply, data) -> reply.data(data.text("request_id").orElse("")));
    return lock.with(Option.flag("force", "the same as --force-lock")).acting(arguments -> {
      arguments.duration("ttl").map(Duration::toSeconds).filter(seconds -> seconds > 0 && seconds <= Ttl.MAX_SECONDS)
          .ifPresent(seconds -> warnOfShort(new Ttl(seconds), console));
      return lock.action().run(arguments.has("force") ? arguments.with("force-lock") : arguments);
    });
  }

  /** The other commands. */
  public List<Command> all() {
    List<Command> commands = new ArrayList<>(List.of(requests.command(LockOperations.RENEW), unlock()));
    commands.addAll(requests.commands(LockOperations.FORCE_RELEASE, LockOperations.FREEZE, LockOperations.UNFREEZE,
        HaltOperations.PLACE, HaltOperations.LIFT));
    commands.add(requests.command(HaltOperations.LIST, LockCommands::halts));
    return commands;
  }

  private static Reply halts(Reply reply, JsonObject data) {
    List<HaltText> halts = HaltText.all(data);
    if (halts.isEmpty()) {
      return reply.data("no halts");
    }
    List<List<String>> rows = new ArrayList<>(List.of(List.of("HALT", "LEVEL", "COVERS", "BY", "UNTIL", "REASON")));
    halts.forEach(halt -> rows.add(List.of(halt.name(), halt.level(), halt.covers(), halt.actor(), halt.until(),
        halt.reason())));
    Table.lines(rows).forEach(reply::data);
    return reply;
  }

  /** A script may release a lock that is already free: that is not a failure. */
  private Command unlock() {
    Command unlock = requests.command(LockOperations.RELEASE);
    return unlock.acting(arguments -> {
      Reply reply = unlock.action().run(arguments);
      LeaseName name = new LeaseName(arguments.operand(0));
      return reply.isProblem(ErrorCode.LOCK_NOT_FOUND)
          ? Reply.of(Exit.DONE, LockJson.notReleased(name))
              .words("tower: warning: lock " + name + " is not held; nothing was released")
          : reply;
    });
  }

  /** Warns of a lock that is lost whenever the host pauses. */
  public static void warnOfShort(Ttl ttl, Console console) {
    if (ttl.isShort()) {
      console
          .words("tower: warning: a lock with a ttl of " + ttl + " is lost whenever the host pauses; use 30s or more");
    }
  }

  /** A request with an id of the client may be a repeated one; a request with a new id cannot. */
  public static AcquireRequest.Reentry reentry(Arguments arguments) {
    return arguments.has("request-id") ? AcquireRequest.Reentry.CLIENT : AcquireRequest.Reentry.NEVER;
  }
}
