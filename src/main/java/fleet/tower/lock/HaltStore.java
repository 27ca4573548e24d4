package fleet.tower.lock;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * A store of halts. Once {@link #place} has returned, no lock that the halt covers is granted, by this process or
 * another: every grant reads the halts in its atomic step. Each call may throw
 * {@link fleet.tower.platform.StorageException}.
 */
public interface HaltStore extends HaltSource {

  /** Places a halt durably; one of the same name is replaced. */
  PlaceOutcome place(HaltRequest request);

  /** Lifts a halt, readable or not. */
  LiftOutcome lift(String name);

  /** The outcome of a {@link HaltRequest}. */
  sealed interface PlaceOutcome {

    /**
     * The halt is in force.
     *
     * @param replaced the halt that had the name; null for none, or one that could not be read
     */
    record Placed(Halt halt, @Nullable Halt replaced) implements PlaceOutcome {}

    /** The same halt is in force already, and nothing changed. */
    record Kept(Halt halt) implements PlaceOutcome {}
  }

  /** The outcome of lifting a halt. */
  sealed interface LiftOutcome {

    /**
     * It is no longer in force.
     *
     * @param halt null if it could not be read
     */
    record Lifted(@Nullable Halt halt, Instant at) implements LiftOutcome {}

    /** No halt of this name is in force. */
    record Absent() implements LiftOutcome {}
  }
}
