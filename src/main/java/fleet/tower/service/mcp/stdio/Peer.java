package fleet.tower.service.mcp.stdio;

import fleet.tower.platform.time.Cancellation;
import fleet.tower.service.mcp.wire.SentMessage;

/** Answers the messages of the client: this process on the files of a home, or a service. */
interface Peer extends AutoCloseable {

  /** What a message of the client leads to. */
  sealed interface Reaction {}

  /**
   * A request is answered.
   *
   * @param id its id as JSON
   */
  record Begin(String id, Work work) implements Reaction {}

  /** A request is cancelled. */
  record Cancel(String id) implements Reaction {}

  /** The message is answered at once. */
  record Reject(SentMessage answer) implements Reaction {}

  /** Nothing. */
  record Ignore() implements Reaction {}

  /** What answers a request. */
  @FunctionalInterface
  interface Work {
    /** Returns the answer; blocks as long as that takes. */
    SentMessage answer(Notifications notifications, Cancellation cancellation);
  }

  /** Receives notifications about a request. */
  @FunctionalInterface
  interface Notifications {
    void send(SentMessage message);
  }

  /** Reads a message, which was one line. */
  Reaction read(byte[] utf8);

  /** Cancels what this process executes, for a signal that ends it; returns when that has ended and is rolled back. */
  void interrupt();

  /** Lets what this process executes end, and closes it. All requests have been answered. */
  @Override
  void close();
}
