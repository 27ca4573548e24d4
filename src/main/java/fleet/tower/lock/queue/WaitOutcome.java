package fleet.tower.lock.queue;

/**
 * How a wait ended.
 *
 * @param <T> the answer that ends a wait, good or bad
 * @param <B> what stands in the way of who has to go on waiting
 */
public sealed interface WaitOutcome<T, B> {

  /** There was an answer: it was granted, or waiting would not have helped. */
  record Answered<T, B>(T answer) implements WaitOutcome<T, B> {}

  /** The time was over; {@code blocked} tells who had it then. */
  record InVain<T, B>(B blocked) implements WaitOutcome<T, B> {}

  /** It was cancelled from outside. */
  record Cancelled<T, B>() implements WaitOutcome<T, B> {}

  /** So many wait already that nobody else may. */
  record TooManyWaiters<T, B>(int limit) implements WaitOutcome<T, B> {}
}
