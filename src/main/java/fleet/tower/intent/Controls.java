package fleet.tower.intent;

import static java.util.Objects.requireNonNull;

import java.util.List;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * Under which locks an intent runs, and what becomes of the run when its own is lost.
 *
 * @param respect other tools' locks that must be free when a run begins
 * @param exclusive other tools' locks that a run holds while it is at work
 */
public record Controls(@Nullable Template lock, OnLockLost onLockLost, List<Template> respect,
    List<Template> exclusive) {
  public static final Controls NONE = new Controls(null, OnLockLost.STOP);

  public Controls {
    requireNonNull(onLockLost);
    respect = List.copyOf(respect);
    exclusive = List.copyOf(exclusive);
  }

  /** Without other tools' locks. */
  public Controls(@Nullable Template lock, OnLockLost onLockLost) {
    this(lock, onLockLost, List.of(), List.of());
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
