package fleet.tower.cli.shell;

/** How a command ends, as scripts see it. */
public enum Exit {
  DONE(0), FAILED(1), HELD(2), NOT_FOUND(3), NOT_OWNER(4), STALE(5), LOST(6), USAGE(64), UNAVAILABLE(69);

  private final int code;

  Exit(int code) {
    this.code = code;
  }

  public int code() {
    return code;
  }
}
