package fleet.tower.intent;

import static java.util.Objects.requireNonNull;

import java.util.List;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * Under which locks an intent runs, how it keeps its own, and what becomes of the run when that is lost.
 *
 * @param respect other tools' locks that must be free when a run begins
 * @param exclusive other tools' locks that a run holds while it is at work
 */
public record Controls(@Nullable Template lock, Heartbeat heartbeat, OnLockLost onLockLost, List<Template> respect,
    List<Template> exclusive) {
  public static final Controls NONE = new Controls(null, Heartbeat.TIMER, OnLockLost.STOP, List.of(), List.of());

  public Controls {
    requireNonNull(heartbeat);
    requireNonNull(onLockLost);
    respect = List.copyOf(respect);
    exclusive = List.copyOf(exclusive);
  }

  /** What a run has to prove for its lock to be renewed. */
  public enum Heartbeat {
    /** That its executor lives. */
    TIMER,
    /** That its work gets on. */
    PROGRESS;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** What a run does that finds somebody else holding its lock. */
  public enum OnLockLost {
    STOP, CONTINUE;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}
