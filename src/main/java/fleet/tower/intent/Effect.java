package fleet.tower.intent;

import java.util.Locale;
import java.util.stream.Stream;

/** How what a run does to its target system can be undone; in ascending order of what that takes. */
public enum Effect {
  /** It changes nothing. */
  NONE,
  /** Its rollback or another run undoes it. */
  REVERSIBLE,
  /** It can be undone, but only by others or by hand. */
  EXTERNAL,
  /** Nobody has said so; rules treat it as {@link #IRREVERSIBLE}. */
  UNKNOWN,
  /** Nothing undoes it. */
  IRREVERSIBLE;

  /** The effect of a word in a file. */
  public static Effect of(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT));
  }

  /** Whether the word of an effect tells people more than the mode of an intent does. */
  public static boolean isSaid(String word) {
    return !word.equals(NONE.toString()) && !word.equals(UNKNOWN.toString());
  }

  /** The effect of all steps together, which is that of the one that is hardest to undo. */
  public static Effect ofAll(Stream<Effect> effects) {
    return effects.reduce(NONE, Effect::and);
  }

  /** The one that is harder to undo. */
  public Effect and(Effect other) {
    return compareTo(other) < 0 ? other : this;
  }

  /** Whether a rule on what is so hard to undo, or harder, covers it. */
  public boolean isAtLeast(Effect other) {
    return this == UNKNOWN || compareTo(other) >= 0;
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
