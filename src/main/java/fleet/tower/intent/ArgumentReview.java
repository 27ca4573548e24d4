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
 * A look at the words of a program before it runs: whether a caller's value could become code, choose the program, or lead a
 * path out of its directory. All of that is allowed, and mostly a mistake, so there are warnings and no errors.
 */
public final class ArgumentReview {
  private static final Set<String> SHELLS = Set.of("sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish", "csh",
      "tcsh", "rbash");
  /** Programs that run the code which follows an option ending in this letter. */
  private static final Map<String, String> INTERPRETERS = Map.of("python", "c", "python3", "c", "su", "c", "runuser",
      "c", "perl", "e", "ruby", "e", "node", "e", "php", "r");
  /** Programs that run the program which their arguments name. */
  private static final Set<String> WRAPPERS = Set.of("env", "sudo", "doas", "timeout", "nice", "ionice", "nohup",
      "setsid", "stdbuf", "time", "find", "chroot", "unshare", "nsenter", "taskset", "chrt", "flock", "xargs",
      "busybox",
      "systemd-run", "setpriv", "runuser", "su", "gosu", "tini", "exec", "command");
  private static final Pattern TAKES_NEXT = Pattern.compile("[-+][a-zA-Z]*[oO]|--rcfile|--init-file");
  private static final List<String> OUTWARD = List.of("..", "../x", "x/../../y", "/..", "/x/../y");

  private final List<Parameter> params;
  private final List<Remark> remarks = new ArrayList<>();

  private ArgumentReview(List<Parameter> params) {
    this.params = params;
  }

  /** Something doubtful about a reference in one of the words; both count from 0. */
  public record Remark(int word, int reference, String message) {}

  /** What is doubtful in a program and its arguments. */
  public static List<Remark> ofProgram(List<Template> words, List<Parameter> params) {
    ArgumentReview review = new ArgumentReview(params);
    if (!words.isEmpty()) {
      review.looksAtProgram(words.getFirst());
      review.looksForCode(words);
      for (int i = 1; i < words.size(); i++) {
        if (isPath(words.get(i))) {
          review.looksAtPath(i, words.get(i));
        }
      }
    }
    return review.remarks;
  }

  /** What is doubtful in the name of another tool's lock, which is a path behind its kind. */
  public static List<Remark> ofPath(Template path, List<Parameter> params) {
    ArgumentReview review = new ArgumentReview(params);
    review.looksAtPath(0, path);
    return review.remarks;
  }

  private void warn(int word, Reference reference, String message) {
    remarks.add(new Remark(word, reference.offset(), message));
  }

  private void looksAtProgram(Template program) {
    for (Reference reference : program.references()) {
      parameter(reference).filter(ArgumentReview::isFree).ifPresent(param -> warn(0, reference, "parameter '"
          + param.name() + "' chooses the program, and may be any text; name the program here, or give the parameter"
          + " an enum"));
    }
  }

  private void looksForCode(List<Template> words) {
    for (int i = 0; i < words.size(); i++) {
      String program = baseName(words.get(i));
      if (SHELLS.contains(program)) {
        codeOfShell(words, i).ifPresent(code -> looksAtCode(words, code, program));
        return;
      }
      if (INTERPRETERS.containsKey(program)) {
        Optional<Integer> code = codeAfter(words, i, "-\\w*" + INTERPRETERS.get(program));
        if (code.isPresent()) {
          looksAtCode(words, code.get(), program);
          return;
        }
      }
      if (i == 0 && !WRAPPERS.contains(program)) {
        return;
      }
    }
  }

  private void looksAtCode(List<Template> words, int code, String program) {
    for (Reference reference : words.get(code).references()) {
      String written = reference.variable() instanceof Param(String name)
          ? parameter(reference).map(Parameter::variable).orElse(name)
          : "";
      warn(code, reference, "${" + reference.variable().written() + "} becomes part of the code that " + program
          + " runs, whatever the value holds; " + (written.isEmpty()
              ? "write a script:, which has it in its environment"
              : "write a script: with \"$" + written + "\" instead"));
    }
  }

  /** A shell's code is its first word that is no option, if one of the options has a c. */
  private static Optional<Integer> codeOfShell(List<Template> words, int shell) {
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

  private void looksAtPath(int word, Template path) {
    for (Reference reference : path.references()) {
      parameter(reference).filter(ArgumentReview::leadsOut).ifPresent(param -> warn(word, reference, "parameter '"
          + param.name() + "' can lead this path to any place on the host: "
          + (isFree(param) ? "it may be any text" : "its pattern allows ..")
          + "; give it an enum, or a pattern that keeps it in its directory"));
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

  /** Whether a caller may give any text. */
  private static boolean isFree(Parameter param) {
    return param.type() == Parameter.Type.STRING && param.limits().allowed().isEmpty()
        && param.limits().pattern() == null;
  }

  private static boolean leadsOut(Parameter param) {
    Pattern pattern = param.limits().pattern();
    return isFree(param) || (param.limits().allowed().isEmpty() && pattern != null
        && OUTWARD.stream().anyMatch(text -> pattern.matcher(text).matches()));
  }

  private static String baseName(Template word) {
    String text = literal(word);
    return text.substring(text.lastIndexOf('/') + 1);
  }

  /** What of a word is the same for every run. */
  private static String literal(Template word) {
    StringBuilder text = new StringBuilder();
    word.parts().forEach(part -> {
      if (part instanceof Literal(String piece)) {
        text.append(piece);
      }
    });
    return text.toString();
  }
}
