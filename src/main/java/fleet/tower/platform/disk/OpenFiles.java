package fleet.tower.platform.disk;

/** The files that a process has open, whose number is limited. */
public final class OpenFiles {
  /** What to do if a process can open no more of them. */
  public static final String REMEDY = "raise the limit: ulimit -n 1024, or LimitNOFILE= of a systemd unit";

  private OpenFiles() {}

  /** The message of a failure; with the remedy if the limit caused it. */
  public static String explain(Exception failure) {
    String message = String.valueOf(failure.getMessage());
    return message.contains("Too many open files") ? message + "; " + REMEDY : message;
  }
}
