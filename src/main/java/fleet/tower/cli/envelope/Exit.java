package fleet.tower.cli.envelope;

import java.util.List;

/** The exit code of a command. */
public record Exit(int code) {
  public static final Exit DONE = new Exit(0);
  public static final Exit FAILED = new Exit(1);
  public static final Exit HELD = new Exit(2);
  public static final Exit NOT_FOUND = new Exit(3);
  public static final Exit NOT_OWNER = new Exit(4);
  public static final Exit STALE = new Exit(5);
  public static final Exit LOST = new Exit(6);
  public static final Exit USAGE = new Exit(64);
  public static final Exit UNAVAILABLE = new Exit(69);
  /** The command that a guard holds a lock for was not started; {@code EX_TEMPFAIL} of sysexits.h. */
  public static final Exit NOT_STARTED = new Exit(75);
  /** {@code EX_NOPERM} of sysexits.h. */
  public static final Exit DENIED = new Exit(77);

  /** A row of the table of exit codes. */
  public record Meaning(String code, String meaning) {
    private static Meaning of(Exit exit, String meaning) {
      return new Meaning(Integer.toString(exit.code()), meaning);
    }
  }

  /** The exit codes of all commands, and the few commands that answer by their own. */
  public static List<Meaning> table() {
    return List.of(Meaning.of(DONE, "done"), Meaning.of(FAILED, "the run failed, or any other error"),
        Meaning.of(HELD, "held by another, frozen, or waited in vain"),
        Meaning.of(NOT_FOUND, "not found; or nothing available: an empty mailbox, no task to claim"),
        Meaning.of(NOT_OWNER, "not the owner"),
        Meaning.of(STALE, "stale: an operator may take it with --force-lock"),
        Meaning.of(LOST, "lost: it was the caller's, and is not any more"),
        Meaning.of(USAGE, "usage: the command line, a parameter or a name is not valid"),
        Meaning.of(UNAVAILABLE, "no JDK, no service, or the storage does not work"),
        Meaning.of(NOT_STARTED, "guard: the command was never started (or what -E says)"),
        Meaning.of(DENIED, "no valid token, or it does not permit this"),
        new Meaning("check", "0 stale, 1 active, 3 free: never use it as a condition for work"),
        new Meaning("exists", "0 the lock exists, 3 it does not"),
        new Meaning("why", "the code that `tower lock` would exit with now"),
        new Meaning("fence", "0 the token is the current holder's, 6 it is not"),
        new Meaning("exclusive check", "0 proceed, 2 skip"),
        new Meaning("guard, task work", "the command's own; 128+n if signal n ended it; 126 or 127 as in a shell"));
  }
}
