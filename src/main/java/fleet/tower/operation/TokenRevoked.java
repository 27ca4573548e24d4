package fleet.tower.operation;

/** A call whose caller's token was revoked or has expired while it waited. */
public final class TokenRevoked extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** The end of a call that waits or streams. */
  public TokenRevoked() {
    super("the token is no longer valid", null, false, false);
  }
}
