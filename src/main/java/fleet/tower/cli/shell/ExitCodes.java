package fleet.tower.cli.shell;

import java.util.List;

import fleet.tower.answer.CommandLine;
import fleet.tower.operation.LockOperations;
import fleet.tower.platform.Exit;

/** The exit codes and their meanings, as the manual lists them. */
public final class ExitCodes {
  private ExitCodes() {}

  /** A row of the table of exit codes. */
  public record Meaning(String code, String meaning) {
    private static Meaning of(Exit exit, String meaning) {
      return new Meaning(Integer.toString(exit.code()), meaning);
    }
  }

  /** The exit codes of all commands, and the few commands that answer by their own. */
  public static List<Meaning> table() {
    return List.of(Meaning.of(Exit.DONE, "done"), Meaning.of(Exit.FAILED, "the run failed, or any other error"),
        Meaning.of(Exit.HELD, "held by another holder, frozen, or the wait timed out"),
        Meaning.of(Exit.NOT_FOUND, "not found; or nothing available: an empty mailbox, no task to claim"),
        Meaning.of(Exit.NOT_OWNER, "not the owner"),
        Meaning.of(Exit.STALE, "stale: an operator may take it with --force-lock"),
        Meaning.of(Exit.LOST, "lost: the caller no longer holds it"),
        Meaning.of(Exit.USAGE, "usage: the command line, a parameter or a name is not valid"),
        Meaning.of(Exit.UNAVAILABLE, "no JDK, no service, or the storage does not work"),
        Meaning.of(Exit.UNWRITTEN, "done, but the answer could not be written to stdout; stderr says what was done"),
        Meaning.of(Exit.NOT_STARTED, "guard: the command was never started (or what -E says)"),
        Meaning.of(Exit.DENIED, "no valid token, or it does not permit this; or others can change the home"),
        Meaning.of(Exit.MISCONFIGURED, "the configuration of the home is not valid: file:line:column: message"),
        new Meaning("check", "0 stale, 1 active, 3 free: never use it as a condition for work"),
        new Meaning("exists", "0 the lock exists, 3 it does not"),
        new Meaning("why", "the code that `" + new CommandLine(LockOperations.ACQUIRE) + "` would exit with now"),
        new Meaning("fence", "0 the token is the current holder's, 6 it is not"),
        new Meaning("exclusive check", "0 proceed, 2 skip"),
        new Meaning("guard, task work", "the command's own; 128+n if signal n ended it; 126 or 127 as in a shell"));
  }
}
