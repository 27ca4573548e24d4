package fleet.tower.task.worker;

import static java.util.Objects.requireNonNull;

import java.util.Optional;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.keepalive.ProgressSignal;

/** How tasks are done: by the intents that they name, or by a command. */
public interface TaskRunner {

  /** Begins to do a task. */
  Job begin(Claims.Claimed claimed);

  /** A task that is being done. */
  interface Job {

    /**
     * Waits for its end.
     *
     * @param onResume done whenever this process goes on after it was stopped for a while
     */
    End await(Runnable onResume);

    /** What beats when it gets on, where its claim is to live by that; nothing where it is enough that this process lives. */
    default Optional<ProgressSignal> proof() {
      return Optional.empty();
    }

    /** Ends it soon, whatever it is at; the task is somebody else's by now. */
    void stop();
  }

  /** How doing a task ended. */
  sealed interface End {}

  /** It is done; {@code note} tells what was done, where there is something to tell. */
  record Done(@Nullable String note) implements End {}

  /** It cannot be done so; somebody has to look. */
  record Failed(String reason) implements End {
    public Failed {
      requireNonNull(reason);
    }
  }

  /** It was not done, and not for any fault of its own: this worker has to end. The task is given back. */
  record GivenBack(String why) implements End {
    public GivenBack {
      requireNonNull(why);
    }
  }
}
