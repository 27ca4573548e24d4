package fleet.tower.cli.mcp;

/** Thrown if a configuration file cannot be changed safely; the message states the problem and its place. */
final class UnreadableConfiguration extends Exception {
  private static final long serialVersionUID = 1;

  UnreadableConfiguration(String problem) {
    super(problem);
  }
}
