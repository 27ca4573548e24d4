package fleet.tower.platform.presence;

import java.util.OptionalLong;

/**
 * Shows others on this host that this process lives, and tells which of them do. What is shown ends with the process, however
 * it ends: nobody has to clean up, and no time has to pass. A process that is stopped is alive.
 */
public interface Presence extends AutoCloseable {

  /**
   * The id of this process: random, never used again, safe as a file name. Nothing is shown before it is first asked for.
   * Throws {@link java.io.UncheckedIOException} where it cannot be shown.
   */
  String id();

  /** Whether the process of an id lives. Where that cannot be told it is said to live. */
  boolean isAlive(String id);

  /** The number under which the operating system knows the process of an id; nothing where it cannot be told. */
  OptionalLong pid(String id);

  /** Shows it no longer, when everybody in this process who opened it at the same place has closed it. */
  @Override
  void close();
}
