package fleet.tower.access;

import java.util.Locale;

/** What a caller may do. */
public enum Role {
  /** Everything: also force, and removing what others hold. */
  OPERATOR;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
