package fleet.tower.intent;

import static java.util.Objects.requireNonNull;

import java.util.Locale;

import org.jspecify.annotations.Nullable;

/** Under which lock an intent runs, and what becomes of the run when the lock is lost. */
public record Controls(@Nullable Template lock, OnLockLost onLockLost) {
  public static final Controls NONE = new Controls(null, OnLockLost.STOP);

  public Controls {
    requireNonNull(onLockLost);
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
