package fleet.tower.cli.lock;

import static fleet.tower.cli.shell.Option.value;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

import fleet.tower.answer.ForeignLockText;
import fleet.tower.answer.Remedy;
import fleet.tower.answer.Reply;
import fleet.tower.answer.UsageError;
import fleet.tower.audit.Origin;
import fleet.tower.cli.shell.Arguments;
import fleet.tower.cli.shell.Command;
import fleet.tower.foreign.ForeignLock;
import fleet.tower.foreign.ForeignLock.Refusal;
import fleet.tower.foreign.ForeignLockJson;
import fleet.tower.foreign.ForeignLockState;
import fleet.tower.foreign.ForeignName;
import fleet.tower.foreign.ProtocolLines;
import fleet.tower.home.Home;
import fleet.tower.lease.Door;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.Exit;
import fleet.tower.platform.json.JsonWriter;

/**
 * {@code tower exclusive}: the exclusive lock of a beads database, for scripts. This process ends at once, so the lock
 * is bound to the life of its parent, or of the process that {@code --pid} names.
 */
public final class ExclusiveCommand {
  private static final String HOLDER = "tower";

  private final Home home;

  public ExclusiveCommand(Home home) {
    this.home = home;
  }

  /** The command. */
  public Command exclusive() {
    return new Command("exclusive", List.of("check|acquire|release", "DIR"),
        "check, acquire or release the exclusive lock of a beads database, DIR/.exclusive-lock",
        List.of(value("holder", "NAME", "the tool that holds the lock (default " + HOLDER + ")"),
            value("pid", "N",
                "the process that owns the lock; the lock ends with it (default: the parent of this one)")),
        this::run);
  }

  private Reply run(Arguments arguments) {
    Path directory = Path.of(arguments.operand(1)).toAbsolutePath().normalize();
    ForeignName name = new ForeignName(ForeignName.Kind.BEADS, directory.toString());
    return switch (arguments.operand(0)) {
      case "check" -> check(name, directory);
      case "acquire" -> acquire(name, claim(arguments));
      case "release" -> release(name, claim(arguments));
      default -> throw new UsageError("'" + arguments.operand(0) + "' must be check, acquire or release");
    };
  }

  private Reply check(ForeignName name, Path directory) {
    ForeignLockState verdict = home.foreignLocksAnywhere().check(name, home.newRequestId(), origin());
    String holder = verdict.holder();
    boolean isBlocking = verdict instanceof ForeignLockState.Blocking;
    JsonWriter json = JsonWriter.line().put("skip", isBlocking).put("holder", holder == null ? "" : holder)
        .put("exclusive_lock_active", isBlocking)
        .put("exclusive_lock_holder", isBlocking && holder != null ? holder : "")
        .members(ForeignLockJson.state(name, verdict));
    Reply reply = Reply.of(isBlocking ? Exit.HELD : Exit.DONE, json);
    switch (verdict) {
      case ForeignLockState.Free() -> reply.data("proceed");
      case ForeignLockState.Cleared(var occupant) -> reply.data("removed-stale " + occupant.holder());
      // Only a read finds one: a check has removed it, or reports why it could not.
      case ForeignLockState.Stale(var occupant) -> reply.data("removed-stale " + occupant.holder());
      case ForeignLockState.Blocking why -> reply.data(holder == null ? "skip" : "skip " + holder)
          .words(ProtocolLines.skipping(new Refusal(name, why)));
    }
    return Files.isDirectory(directory.resolve(".beads"))
        ? reply.words("tower: warning: " + directory + " contains a .beads directory; did you mean that one?")
        : reply;
  }

  private Reply acquire(ForeignName name, ForeignLock.Claim claim) {
    return switch (home.foreignLocksAnywhere().hold(name, claim)) {
      case ForeignLock.Hold.Granted(ForeignLock.Hold _, var previous, boolean already) -> Reply
          .of(Exit.DONE,
              JsonWriter.line().put("foreign_lock", name.toString()).put("holder", claim.holder())
                  .put("pid", claim.pid()).put("already_held", already)
                  .put("removed_stale", previous == null ? null : previous.holder()))
          .data((already ? "already-held " : "acquired ") + claim.holder())
          .words("held until `tower exclusive release`, or until process " + claim.pid() + " ends");
      case ForeignLock.Hold.Refused(ForeignLockState.Blocking why) -> Reply.of(ForeignLockText
          .problem(new Refusal(name, why)).next(List.of(Remedy.again("try again when it is released"))));
    };
  }

  private Reply release(ForeignName name, ForeignLock.Claim claim) {
    JsonWriter json = JsonWriter.line().put("foreign_lock", name.toString());
    return switch (home.foreignLocksAnywhere().release(name, claim)) {
      case ForeignLock.Hold.Released() ->
        Reply.of(Exit.DONE, json.put("released", true)).data("released " + claim.holder());
      case ForeignLock.Hold.Absent() -> Reply.of(Exit.DONE, json.put("released", false)).data("not-held");
      case ForeignLock.Hold.NotOurs(ForeignLockState now) -> Reply.failure(ErrorCode.NOT_LOCK_OWNER,
          "foreign lock " + name + " does not belong to " + claim.holder() + ", process " + claim.pid() + ": it is "
              + now.describe(),
          "use the --holder and --pid that acquired it",
          json.members(ForeignLockJson.state(name, now)));
      case ForeignLock.Hold.Failed(String problem) -> Reply.failure(ErrorCode.STORAGE_UNAVAILABLE,
          "foreign lock " + name + " could not be released: " + problem, "remove it by hand", json);
    };
  }

  private ForeignLock.Claim claim(Arguments arguments) {
    String holder = arguments.value("holder").orElse(HOLDER);
    if (holder.isBlank() || holder.length() > 200) {
      throw new UsageError("--holder must have 1 to 200 characters");
    }
    long pid = arguments.number("pid").orElseGet(ExclusiveCommand::parent);
    if (pid < 1 || pid > Integer.MAX_VALUE) {
      throw new UsageError("--pid " + pid + " is not a process");
    }
    return new ForeignLock.Claim(home.newRequestId(), holder, "", pid, null, origin());
  }

  private Origin origin() {
    return Origin.of(home.actor(Optional.empty(), Door.CLI));
  }

  /** Process 1 adopts processes whose parent is gone. */
  private static long parent() {
    return ProcessHandle.current().parent().map(ProcessHandle::pid).filter(pid -> pid > 1).orElseThrow(
        () -> new UsageError(
            "--pid is required: the parent of this process is unknown"));
  }
}
