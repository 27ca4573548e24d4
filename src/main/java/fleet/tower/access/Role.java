package fleet.tower.access;

import java.util.Locale;

/** What a caller may do. */
public enum Role {
  /** Everything: also force, and removing what others hold. */
  OPERATOR;

  /** Whether one may decide over what others hold: take it by force, remove it, stop it. */
  boolean mayOverrule() {
    return switch (this) {
      case OPERATOR -> true;
    };
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
