package fleet.tower.intent;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

import fleet.tower.intent.Template.Literal;
import fleet.tower.intent.Template.Param;
import fleet.tower.intent.Template.Reference;

/**
 * Checks the words of a command before it runs: whether a caller's value could become code, choose the program, or
 * lead a path out of its directory. All of that is allowed but mostly a mistake, so the result is warnings, not
 * errors.
 */
public final class ArgumentReview {
  private static final Set<String> SHELLS = Set.of("sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish", "csh",
      "tcsh", "rbash");
  /** Programs that run the code that follows an option ending in this letter. */
  private static final Map<String, String> INTERPRETERS = Map.of("python", "c", "python3", "c", "su", "c", "runuser",
      "c", "perl", "e", "ruby", "e", "node", "e", "php", "r");
  /** Programs that run the program named in their arguments. */
  private static final Set<String> WRAPPERS = Set.of("env", "sudo", "doas", "timeout", "nice", "ionice", "nohup",
      "setsid", "stdbuf", "time", "find", "chroot", "unshare", "nsenter", "taskset", "chrt", "flock", "xargs",
      "busybox",
      "systemd-run", "setpriv", "runuser", "su", "gosu", "tini", "exec", "command");
  private static final Pattern TAKES_NEXT = Pattern.compile("[-+][a-zA-Z]*[oO]|--rcfile|--init-file");
  private static final List<String> ESCAPING_PATHS = List.of("..", "../x", "x/../../y", "/..", "/x/../y");

  private final List<Parameter> params;
  private final List<Remark> remarks = new ArrayList<>();

  private ArgumentReview(List<Parameter> params) {
    this.params = params;
  }

  /** A warning about a reference in one of the words; both indexes start at 0. */
  public record Remark(int word, int reference, String message) {}

  /** The warnings about a program and its arguments. */
  public static List<Remark> ofProgram(List<Template> words, List<Parameter> params) {
    ArgumentReview review = new ArgumentReview(params);
    if (!words.isEmpty()) {
      review.reviewProgram(words.getFirst());
      review.reviewCode(words);
      for (int i = 1; i < words.size(); i++) {
        if (isPath(words.get(i))) {
          review.reviewPath(i, words.get(i));
        }
      }
    }
    return review.remarks;
  }

  /** Whether this review checks the shells that a program starts. */
  static boolean runsProgramItself(String program) {
    return SHELLS.contains(program) || WRAPPERS.contains(program);
  }

  /** The warnings about the name of another tool's lock: a path after its kind. */
  public static List<Remark> ofPath(Template path, List<Parameter> params) {
    ArgumentReview review = new ArgumentReview(params);
    review.reviewPath(0, path);
    return review.remarks;
  }

  private void warn(int word, Reference reference, String message) {
    remarks.add(new Remark(word, reference.offset(), message));
  }

  private void reviewProgram(Template program) {
    for (Reference reference : program.references()) {
      parameter(reference).filter(ArgumentReview::isFree).ifPresent(param -> warn(0, reference, "parameter '"
          + param.name() + "' chooses the program and accepts any text; name the program here, or give the parameter"
          + " an enum"));
    }
  }

  private void reviewCode(List<Template> words) {
    for (int i = 0; i < words.size(); i++) {
      String program = baseName(words.get(i));
      if (SHELLS.contains(program)) {
        codeOfShell(words, i).ifPresent(code -> reviewCodeWord(words, code, program));
        return;
      }
      if (INTERPRETERS.containsKey(program)) {
        Optional<Integer> code = codeAfter(words, i, "-\\w*" + INTERPRETERS.get(program));
        if (code.isPresent()) {
          reviewCodeWord(words, code.get(), program);
          return;
        }
      }
      if (i == 0 && !WRAPPERS.contains(program)) {
        return;
      }
    }
  }

  private void reviewCodeWord(List<Template> words, int code, String program) {
    for (Reference reference : words.get(code).references()) {
      String written = reference.variable() instanceof Param(String name)
          ? parameter(reference).map(Parameter::variable).orElse(name)
          : "";
      warn(code, reference, "${" + reference.variable().written() + "} becomes part of the code that " + program
          + " runs, whatever its value; " + (written.isEmpty()
              ? "write a script: and read the value from its environment"
              : "write a script: with \"$" + written + "\" instead"));
    }
  }

  /** The index of a shell's code: its first word that is not an option, if one of the options contains a c. */
  static Optional<Integer> codeOfShell(List<Template> words, int shell) {
    boolean hasCode = false;
    for (int i = shell + 1; i < words.size(); i++) {
      String word = literal(words.get(i));
      if (!word.matches("[-+].+")) {
        return hasCode ? Optional.of(i) : Optional.empty();
      }
      hasCode |= word.matches("-[a-zA-Z]*c[a-zA-Z]*");
      if (TAKES_NEXT.matcher(word).matches()) {
        i++;
      }
    }
    return Optional.empty();
  }

  private static Optional<Integer> codeAfter(List<Template> words, int program, String option) {
    for (int i = program + 1; i + 1 < words.size(); i++) {
      if (literal(words.get(i)).matches(option)) {
        return Optional.of(i + 1);
      }
    }
    return Optional.empty();
  }

  private void reviewPath(int word, Template path) {
    for (Reference reference : path.references()) {
      parameter(reference).filter(ArgumentReview::mayLeaveDirectory)
          .ifPresent(param -> warn(word, reference, "parameter '"
              + param.name() + "' lets this path point anywhere on the host: "
              + (isFree(param) ? "it accepts any text" : "its pattern allows ..")
              + "; give it an enum, or a pattern that keeps the path in its directory"));
    }
  }

  private static boolean isPath(Template word) {
    String text = literal(word);
    return text.contains("/") && !text.contains("://");
  }

  private Optional<Parameter> parameter(Reference reference) {
    return reference.variable() instanceof Param(String name)
        ? params.stream().filter(param -> param.name().equals(name)).findFirst()
        : Optional.empty();
  }

  /** Whether the parameter accepts any text. */
  private static boolean isFree(Parameter param) {
    return param.type() == Parameter.Type.STRING && param.limits().allowed().isEmpty()
        && param.limits().pattern() == null;
  }

  private static boolean mayLeaveDirectory(Parameter param) {
    Pattern pattern = param.limits().pattern();
    return isFree(param) || (param.limits().allowed().isEmpty() && pattern != null
        && ESCAPING_PATHS.stream().anyMatch(text -> pattern.matcher(text).matches()));
  }

  private static String baseName(Template word) {
    String text = literal(word);
    return text.substring(text.lastIndexOf('/') + 1);
  }

  /** The literal parts of a word, which are the same in every run. */
  static String literal(Template word) {
    StringBuilder text = new StringBuilder();
    word.parts().forEach(part -> {
      if (part instanceof Literal(String piece)) {
        text.append(piece);
      }
    });
    return text.toString();
  }
}
