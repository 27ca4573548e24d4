package fleet.tower.task.worker;

import java.util.Optional;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.keepalive.ProgressSignal;

/** Runs tasks: by the intents that they name, or by a command. */
public interface TaskRunner {

  /** Starts a task. */
  Job begin(Claims.Claimed claimed);

  /** A task that is running. */
  interface Job {

    /**
     * Waits for its end.
     *
     * @param onResume runs whenever this process continues after it was suspended
     */
    End await(Runnable onResume);

    /** The progress that the claim depends on; empty if the claim lasts as long as this process. */
    default Optional<ProgressSignal> proof() {
      return Optional.empty();
    }

    /** Ends it soon; its claim is lost. */
    void stop();
  }

  /** The end of a task. */
  sealed interface End {}

  /** It succeeded; {@code note} describes what was done, or is null. */
  record Done(@Nullable String note) implements End {}

  /** It failed and needs a person's attention. */
  record Failed(String reason) implements End {}

  /** The task was not done because this worker is stopping; it is released. */
  record GivenBack(String why) implements End {}
}
