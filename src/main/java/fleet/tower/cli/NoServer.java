package fleet.tower.cli;

/** Somebody wants to work through a service, and this version has none: the files of some home are not what was meant. */
final class NoServer extends RuntimeException {
  private static final long serialVersionUID = 1;

  NoServer() {
    super("TOWER_URL is set, but this version works on the files of a home only");
  }
}
