package fleet.tower.home;

import java.nio.file.Path;

/** The directory of a home, and the rule that located it. */
public record HomeLocation(Path root, Rule rule) {
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
