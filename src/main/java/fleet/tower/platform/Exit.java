package fleet.tower.platform;

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
  /** The answer could not be written to stdout; {@code EX_IOERR} of sysexits.h. */
  public static final Exit UNWRITTEN = new Exit(74);
  /** The command that a guard holds a lock for was not started; {@code EX_TEMPFAIL} of sysexits.h. */
  public static final Exit NOT_STARTED = new Exit(75);
  /** {@code EX_NOPERM} of sysexits.h. */
  public static final Exit DENIED = new Exit(77);
  /** {@code EX_CONFIG} of sysexits.h. */
  public static final Exit MISCONFIGURED = new Exit(78);
}
