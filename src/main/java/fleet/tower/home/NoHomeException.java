package fleet.tower.home;

import java.nio.file.Path;

import fleet.tower.platform.ErrorCode;

/** Thrown if there is no home to use: none was located, the named directory is not one, or others can change it. */
public final class NoHomeException extends RuntimeException {
  private static final long serialVersionUID = 1;
  private final ErrorCode code;
  private final String problem;
  private final String suggestion;

  private NoHomeException(ErrorCode code, String problem, String suggestion) {
    super(problem);
    this.code = code;
    this.problem = problem;
    this.suggestion = suggestion;
  }

  /** No rule located a home. */
  static NoHomeException none() {
    return new NoHomeException(ErrorCode.NO_HOME, "no home here; run `tower init`, or set TOWER_HOME", "");
  }

  /** The named directory is not a home, and the command may not create one. */
  static NoHomeException notAHome(HomeLocation named, String problem, String suggestion) {
    return new NoHomeException(ErrorCode.NOT_A_HOME,
        named.root() + ", " + named.rule().sentence() + ", is not a home: " + problem, suggestion);
  }

  /** A home cannot be created in a directory. */
  static NoHomeException cannotBecome(Path root, String problem) {
    return new NoHomeException(ErrorCode.NOT_A_HOME, root + " cannot become a home: " + problem, "");
  }

  /** The nearest home hides one of the usual places, and locks in one do not exclude those in the other. */
  static NoHomeException ambiguous(Path nearest, Path usual) {
    return new NoHomeException(ErrorCode.AMBIGUOUS_HOME, "there are two homes: " + nearest
        + ", the nearest at or above the working directory, and " + usual
        + ", the default home of this host; locks in one do not exclude those in the other",
        "name the one you mean: --home " + nearest + ", or --home " + usual);
  }

  /** Users other than this one and root can change the home. */
  static NoHomeException untrusted(String problem, String remedy) {
    return new NoHomeException(ErrorCode.HOME_UNTRUSTED, problem, remedy);
  }

  public ErrorCode code() {
    return code;
  }

  public String problem() {
    return problem;
  }

  /** The remedy; empty if the problem contains it. */
  public String suggestion() {
    return suggestion;
  }
}
