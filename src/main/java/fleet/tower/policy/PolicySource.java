package fleet.tower.policy;

/** Where the policy of a home is. */
public interface PolicySource {
  /** The source of a home without a policy. */
  PolicySource NONE = () -> new Known(Policy.NONE);

  /** The policy now. */
  State now();

  /** Reads it again, so that {@link #now} is what a change has left that is over; waits for one that is not. */
  default void settle() {}

  /** Whether the policy can be read. */
  sealed interface State {}

  /** It can; a home without the file has no rules. */
  record Known(Policy policy) implements State {}

  /**
   * It cannot, so nothing new begins.
   *
   * @param problem what is wrong, with the file, and the line and column if there are any
   */
  record Invalid(String problem) implements State {}
}
