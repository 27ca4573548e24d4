package fleet.tower.lock.queue;

/**
 * The outcome of a wait.
 *
 * @param <T> the answer that ends a wait, good or bad
 *
 * @param <B> the obstacle of a wait that continues
 */
public sealed interface WaitOutcome<T, B> {

  /** There was an answer: a grant, or a refusal that waiting would not change. */
  record Answered<T, B>(T answer) implements WaitOutcome<T, B> {}

  /** The limit was reached; {@code blocked} is the obstacle at that time. */
  record TimedOut<T, B>(B blocked) implements WaitOutcome<T, B> {}

  /** The wait was cancelled. */
  record Cancelled<T, B>() implements WaitOutcome<T, B> {}

  /** The queue is full. */
  record TooManyWaiters<T, B>(int limit) implements WaitOutcome<T, B> {}
}
