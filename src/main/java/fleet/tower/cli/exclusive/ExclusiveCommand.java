package fleet.tower.cli.exclusive;

import static fleet.tower.cli.shell.Option.value;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

import fleet.tower.audit.Origin;
import fleet.tower.cli.shell.Arguments;
import fleet.tower.cli.shell.Command;
import fleet.tower.cli.shell.Exit;
import fleet.tower.cli.shell.Reply;
import fleet.tower.cli.shell.UsageError;
import fleet.tower.exclusive.Claim;
import fleet.tower.exclusive.ForeignAnswers;
import fleet.tower.exclusive.ForeignLock.Refusal;
import fleet.tower.exclusive.ForeignName;
import fleet.tower.exclusive.Hold;
import fleet.tower.exclusive.Verdict;
import fleet.tower.home.Home;
import fleet.tower.json.JsonWriter;
import fleet.tower.lease.Door;

/**
 * {@code tower exclusive}: the exclusive lock of a beads database, for scripts. This process ends at once, so the lock is tied to
 * the life of the one that started it, or of the one that {@code --pid} names.
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
        "look at, take or give back the exclusive lock of a beads database, DIR/.exclusive-lock",
        List.of(value("holder", "NAME", "the tool that holds it (default " + HOLDER + ")"),
            value("pid", "N", "the process whose life is the lock's (default: the one that started this one)")),
        this::run);
  }

  private Reply run(Arguments arguments) {
    Path directory = Path.of(arguments.operand(1)).toAbsolutePath().normalize();
    ForeignName name = new ForeignName(ForeignName.Kind.BEADS, directory.toString());
    return switch (arguments.operand(0)) {
      case "check" -> check(name, directory);
      case "acquire" -> acquire(name, claim(arguments));
      case "release" -> release(name, claim(arguments));
      default -> throw new UsageError("'" + arguments.operand(0) + "' is none of check, acquire, release");
    };
  }

  private Reply check(ForeignName name, Path directory) {
    Verdict verdict = home.foreignLocksAnywhere().check(name, home.newRequestId(), origin());
    String holder = ForeignAnswers.holder(verdict);
    boolean isBlocking = verdict instanceof Verdict.Blocking;
    JsonWriter json = JsonWriter.line().put("skip", isBlocking).put("holder", holder == null ? "" : holder)
        .put("exclusive_lock_active", isBlocking)
        .put("exclusive_lock_holder", isBlocking && holder != null ? holder : "")
        .members(ForeignAnswers.verdict(name, verdict));
    Reply reply = Reply.of(isBlocking ? Exit.HELD : Exit.DONE, json);
    switch (verdict) {
      case Verdict.Free() -> reply.data("proceed");
      case Verdict.Cleared(var occupant) -> reply.data("removed-stale " + occupant.holder());
      // Only a look finds one: a check has removed it, or says why it could not.
      case Verdict.Stale(var occupant) -> reply.data("removed-stale " + occupant.holder());
      case Verdict.Blocking why -> reply.data(holder == null ? "skip" : "skip " + holder)
          .words(ForeignAnswers.skipping(new Refusal(name, why)));
    }
    return Files.isDirectory(directory.resolve(".beads"))
        ? reply.words("tower: warning: " + directory + " has a .beads of its own; did you mean that?")
        : reply;
  }

  private Reply acquire(ForeignName name, Claim claim) {
    return switch (home.foreignLocksAnywhere().hold(name, claim)) {
      case Hold.Granted(Hold _, var displaced, boolean already) -> Reply
          .of(Exit.DONE,
              JsonWriter.line().put("foreign_lock", name.toString()).put("holder", claim.holder())
                  .put("pid", claim.pid()).put("already_held", already)
                  .put("removed_stale", displaced == null ? null : displaced.holder()))
          .data((already ? "already-held " : "acquired ") + claim.holder())
          .words("it is held until `tower exclusive release`, at most as long as process " + claim.pid() + " lives");
      case Hold.Refused(Verdict.Blocking why) -> {
        Refusal refusal = new Refusal(name, why);
        yield Reply.failure(Exit.HELD, ForeignAnswers.ERROR, ForeignAnswers.sentence(refusal),
            ForeignAnswers.suggestion(refusal), ForeignAnswers.refusal(refusal));
      }
    };
  }

  private Reply release(ForeignName name, Claim claim) {
    JsonWriter json = JsonWriter.line().put("foreign_lock", name.toString());
    return switch (home.foreignLocksAnywhere().release(name, claim)) {
      case Hold.Released() -> Reply.of(Exit.DONE, json.put("released", true)).data("released " + claim.holder());
      case Hold.Absent() -> Reply.of(Exit.DONE, json.put("released", false)).data("not-held");
      case Hold.NotOurs(Verdict now) -> Reply.failure(Exit.NOT_OWNER, "not_lock_owner",
          "foreign lock " + name + " is not of " + claim.holder() + ", process " + claim.pid() + ": it is "
              + ForeignAnswers.describe(now),
          "give --holder and --pid as they were given to acquire",
          json.members(ForeignAnswers.verdict(name, now)));
      case Hold.Failed(String problem) -> Reply.failure(Exit.UNAVAILABLE, "storage_unavailable",
          "foreign lock " + name + " could not be given back: " + problem, "remove it by hand", json);
    };
  }

  private Claim claim(Arguments arguments) {
    String holder = arguments.value("holder").orElse(HOLDER);
    if (holder.isBlank() || holder.length() > 200) {
      throw new UsageError("--holder must have 1 to 200 characters");
    }
    long pid = arguments.number("pid").orElseGet(ExclusiveCommand::parent);
    if (pid < 1 || pid > Integer.MAX_VALUE) {
      throw new UsageError("--pid " + pid + " is no process");
    }
    return new Claim(home.newRequestId(), holder, "", pid, null, origin());
  }

  private Origin origin() {
    return Origin.of(home.actor(Optional.empty(), Door.CLI));
  }

  /** The first process of all is the parent of those whose own is gone. */
  private static long parent() {
    return ProcessHandle.current().parent().map(ProcessHandle::pid).filter(pid -> pid > 1).orElseThrow(
        () -> new UsageError(
            "--pid is needed: who started this process is not known, so nobody's life can be the lock's"));
  }
}
