package fleet.tower.home;

import java.nio.file.Path;

import org.jspecify.annotations.Nullable;

/**
 * The directory of a home, and the rule that located it.
 *
 * @param shadowed the home that the next rule would have located instead of the nearest one; null if there is none
 */
public record HomeLocation(Path root, Rule rule, @Nullable Path shadowed) {
  HomeLocation(Path root, Rule rule) {
    this(root, rule, null);
  }

  /** Requires that it hides no other home: whoever works in that one would not be excluded by locks in this one. */
  public void requireOnly() {
    if (shadowed != null) {
      throw NoHomeException.ambiguous(root, shadowed);
    }
  }

  /** How a home is located; earlier rules take precedence. */
  public enum Rule {
    OPTION("--home", "named by --home"), //
    VARIABLE("TOWER_HOME", "named by TOWER_HOME"), //
    NEAREST("nearest", "the nearest home at or above the working directory"), //
    USUAL("usual", "a default home of this host");

    private final String label;
    private final String sentence;

    Rule(String label, String sentence) {
      this.label = label;
      this.sentence = sentence;
    }

    /** The rule's name for programs. */
    public String label() {
      return label;
    }

    /** The rule as text. */
    public String sentence() {
      return sentence;
    }

    /** Whether the user named the home; otherwise it was searched for. */
    public boolean isNamed() {
      return this == OPTION || this == VARIABLE;
    }
  }
}
