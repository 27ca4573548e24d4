package fleet.tower.service.mcp.subscription;

/** Something that a client watches. One thread uses it, except for {@link #wake}. */
interface Watched {

  /** A text that differs from the last one if the client is to be notified. */
  String state();

  /** The notification about the present state. */
  Notification notification();

  /** Waits until the state may have changed since the last call of {@link #state}. */
  void await();

  /** Ends a present or the next {@link #await} soon. */
  void wake();

  /** Whether the state can never change again. */
  boolean isOver();
}
