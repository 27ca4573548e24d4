package fleet.tower.service.mcp.stdio;

import fleet.tower.platform.wait.Cancellation;

/** Answers the messages of the client: this process on the files of a home, or a service. */
interface Peer extends AutoCloseable {

  /** A message of the client that has been read. */
  sealed interface Message {}

  /**
   * A request.
   *
   * @param id its id as JSON
   */
  record Request(String id, Work work) implements Message {}

  /** The end of the client's interest in a request. */
  record Cancelled(String id) implements Message {}

  /** A message that is answered at once. */
  record Rejected(String answer) implements Message {}

  /** A message without an answer. */
  record Ignored() implements Message {}

  /** What answers a request. */
  @FunctionalInterface
  interface Work {
    /** Returns the answer as JSON on one line; blocks as long as that takes. */
    String answer(Notifications notifications, Cancellation cancellation);
  }

  /** Receives notifications about a request, each as JSON on one line. */
  @FunctionalInterface
  interface Notifications {
    void send(String line);
  }

  /** Reads a message, which was one line. */
  Message read(byte[] utf8);

  /** Cancels what this process executes, for a signal that ends it; returns when that has ended and is rolled back. */
  void interrupt();

  /** Lets what this process executes end, and closes it. All requests have been answered. */
  @Override
  void close();
}
