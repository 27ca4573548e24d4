package fleet.tower.home;

import java.nio.file.Path;

/** Thrown if there is no home: none was located, or the named directory is not one. */
public final class NoHomeException extends RuntimeException {
  private static final long serialVersionUID = 1;
  private final boolean isNamed;
  private final String problem;
  private final String suggestion;

  private NoHomeException(boolean isNamed, String problem, String suggestion) {
    super(problem);
    this.isNamed = isNamed;
    this.problem = problem;
    this.suggestion = suggestion;
  }

  /** No rule located a home. */
  static NoHomeException none() {
    return new NoHomeException(false, "no home here; run `tower init`, or set TOWER_HOME", "");
  }

  /** The named directory is not a home, and the command may not create one. */
  static NoHomeException notAHome(HomeLocation named, String problem, String suggestion) {
    return new NoHomeException(true,
        named.root() + ", " + named.rule().sentence() + ", is not a home: " + problem, suggestion);
  }

  /** A home cannot be created in a directory. */
  static NoHomeException cannotBecome(Path root, String problem) {
    return new NoHomeException(true, root + " cannot become a home: " + problem, "");
  }

  /** Whether the user named a directory that is not a home, which is an error even if the command needs none. */
  public boolean isNamed() {
    return isNamed;
  }

  public String problem() {
    return problem;
  }

  /** The remedy; empty if the problem contains it. */
  public String suggestion() {
    return suggestion;
  }
}
