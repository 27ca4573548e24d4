package fleet.tower.home;

import static java.util.Objects.requireNonNull;

import java.nio.file.Path;

/** There is no home to work on: none was found, or what was named is not one. */
public final class NoHomeException extends RuntimeException {
  private static final long serialVersionUID = 1;
  private final boolean isNamed;
  private final String problem;
  private final String suggestion;

  private NoHomeException(boolean isNamed, String problem, String suggestion) {
    super(problem);
    this.isNamed = isNamed;
    this.problem = requireNonNull(problem);
    this.suggestion = requireNonNull(suggestion);
  }

  /** No rule found one. */
  static NoHomeException none() {
    return new NoHomeException(false, "no home here; run `tower init`, or set TOWER_HOME", "");
  }

  /** What the user named is not one, and may not be made one by this command. */
  static NoHomeException notAHome(HomeLocation named, String problem, String suggestion) {
    return new NoHomeException(true,
        named.root() + ", " + named.rule().sentence() + ", is not a home: " + problem, suggestion);
  }

  /** What is to become a home cannot. */
  static NoHomeException cannotBecome(Path root, String problem) {
    return new NoHomeException(true, root + " cannot become a home: " + problem, "");
  }

  /** Whether the user named a directory that is not a home, which is a mistake whatever the command needs. */
  public boolean isNamed() {
    return isNamed;
  }

  /** What is wrong. */
  public String problem() {
    return problem;
  }

  /** What to do about it; empty where the problem says it. */
  public String suggestion() {
    return suggestion;
  }
}
