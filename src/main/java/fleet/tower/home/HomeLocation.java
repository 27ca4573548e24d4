package fleet.tower.home;

import static java.util.Objects.requireNonNull;

import java.nio.file.Path;

/** The directory of a home, and the rule that found it. */
public record HomeLocation(Path root, Rule rule) {
  public HomeLocation {
    requireNonNull(root);
    requireNonNull(rule);
  }

  /** How a home is found; an earlier rule goes before a later one. */
  public enum Rule {
    OPTION("--home", "named by --home"), //
    VARIABLE("TOWER_HOME", "named by TOWER_HOME"), //
    NEAREST("nearest", "the nearest home at or above the working directory"), //
    USUAL("usual", "the usual place of a home on this host");

    private final String label;
    private final String sentence;

    Rule(String label, String sentence) {
      this.label = label;
      this.sentence = sentence;
    }

    /** A word for programs. */
    public String label() {
      return label;
    }

    /** The rule in words. */
    public String sentence() {
      return sentence;
    }

    /** Whether the user named the home; otherwise it was looked for. */
    public boolean isNamed() {
      return this == OPTION || this == VARIABLE;
    }
  }
}
