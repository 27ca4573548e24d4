package fleet.tower.intent;

import java.util.Locale;

/** How an intent treats its target system. */
public enum Mode {
  /** Reads only; never takes a lock and is never blocked by one. */
  OBSERVE,
  /** Changes the system once. */
  MUTATE,
  /** Restores the desired state, repeatedly. */
  RECONCILE;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
