package fleet.tower.platform;

/**
 * The evidence for other processes of this host that this process is alive. It ends with the process, however that
 * ends: no cleanup and no timeout is needed. A stopped process is alive.
 */
public interface Presence extends AutoCloseable {

  /**
   * The id of this process: random, never reused, safe as a file name. The first call publishes it.
   *
   * @throws java.io.UncheckedIOException if it cannot be published
   */
  String id();

  /** Whether the process with an id is alive; true if that cannot be determined. */
  boolean isAlive(String id);

  /** Withdraws the id once all users in this process that opened the same place have closed it. */
  @Override
  void close();
}
