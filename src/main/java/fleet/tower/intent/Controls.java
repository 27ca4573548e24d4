package fleet.tower.intent;

import java.util.List;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * The locks of an intent, how its own lock is renewed, and what happens when a run or its holder loses it.
 *
 * @param respect other tools' locks that must be free when a run starts
 * @param exclusive other tools' locks that a run holds while it executes
 */
public record Controls(@Nullable Template lock, Heartbeat heartbeat, OnLockLost onLockLost, OnStale onStale,
    OnInterrupted onInterrupted, List<Template> respect, List<Template> exclusive) {
  public static final Controls NONE = new Controls(null, Heartbeat.TIMER, OnLockLost.STOP, Controls.OnStale.REFUSE,
      Controls.OnInterrupted.KEEP, List.of(), List.of());

  public Controls {
    respect = List.copyOf(respect);
    exclusive = List.copyOf(exclusive);
  }

  /** What a run must prove for its lock to be renewed. */
  public enum Heartbeat {
    /** Its executor is alive. */
    TIMER,
    /** Its work makes progress. */
    PROGRESS;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** What a run does when it has lost its lock. */
  public enum OnLockLost {
    STOP, CONTINUE;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** What a request does that finds its lock stale. */
  public enum OnStale {
    /** It is refused unless it has force. */
    REFUSE,
    /** It takes the lock as with force. */
    TAKE,
    /** It takes the lock once a probe has told what became of the run that held it. */
    SETTLE;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** What happens to the lock of a run whose executor died. */
  public enum OnInterrupted {
    /** It goes stale. */
    KEEP,
    /** It is released once all processes of its steps are known to have ended. */
    RELEASE;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}
