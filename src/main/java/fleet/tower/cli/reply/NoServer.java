package fleet.tower.cli.reply;

/** Somebody wants to work through a service, and this version has none: the files of some home are not what was meant. */
public final class NoServer extends RuntimeException {
  private static final long serialVersionUID = 1;

  public NoServer() {
    super("TOWER_URL is set, but this version works on the files of a home only");
  }
}
