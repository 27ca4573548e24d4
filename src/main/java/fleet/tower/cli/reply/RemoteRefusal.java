package fleet.tower.cli.reply;

import fleet.tower.cli.shell.Reply;

/** Somebody else has refused what was asked, and this is how they tell it. */
public final class RemoteRefusal extends RuntimeException {
  private static final long serialVersionUID = 1;
  private final transient Reply reply;

  public RemoteRefusal(String message, Reply reply) {
    super(message);
    this.reply = reply;
  }

  public Reply reply() {
    return reply;
  }
}
