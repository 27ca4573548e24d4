package fleet.tower.intent;

import java.util.Locale;

/** How an intent treats the system that it is about. */
public enum Mode {
  /** Looks only: never takes a lock, and is never blocked by one. */
  OBSERVE,
  /** Changes something once. */
  MUTATE,
  /** Brings something back to where it should be, again and again. */
  RECONCILE;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
