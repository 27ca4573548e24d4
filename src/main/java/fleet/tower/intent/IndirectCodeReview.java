package fleet.tower.intent;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

import fleet.tower.intent.Template.Literal;
import fleet.tower.intent.Template.Param;
import fleet.tower.intent.Template.Reference;

/**
 * Checks for code that a step runs indirectly: on another host, in a container, in another program's language, through
 * an option of a program, or through a variable that a program reads. A parameter is a risk if it accepts a text that
 * could be code there; one with an enum, a number, or a narrow pattern is none.
 */
public final class IndirectCodeReview {
  private static final Set<String> SHELLS = Set.of("sh", "bash", "dash", "zsh", "ksh", "ash", "fish");
  /** The programs that read code from an operand, or run code that one of their options names. */
  private static final Set<String> OPTIONS_RUN_CODE = Set.of("ssh", "scp", "sftp", "rsync", "git", "hg", "svn", "tar",
      "find", "curl", "wget", "zip", "docker", "podman", "kubectl", "helm", "psql", "ansible", "ansible-playbook");
  /** The options of ssh that have a value in the next word. */
  private static final Pattern SSH_VALUE = Pattern.compile("-[a-zA-Z0-9]*[bcDEeFIiJLlmOopQRSWwB]");
  private static final Set<String> AWKS = Set.of("awk", "gawk", "mawk", "nawk");
  private static final Pattern AWK_VALUE = Pattern.compile("-[Ffv]|--(assign|field-separator|file)");
  private static final Pattern SQL_OPTION = Pattern.compile("-[a-zA-Z]*[ce]|--(command|execute)");
  private static final Pattern SQL_PREFIX = Pattern.compile("--(command|execute)=.*");
  private static final Pattern ANSIBLE_OPTION = Pattern.compile("-[ae]|--(args|extra-vars)");
  private static final Pattern ANSIBLE_PREFIX = Pattern.compile("--(args|extra-vars)=.*");
  private static final Pattern EVALUATED = Pattern.compile("\\beval\\b[^\\n]*?\\$\\{?(PARAM_[A-Z0-9_]+)");
  /** The variables that make a program load code, or start another program. */
  private static final Pattern PROGRAM_VARIABLES = Pattern.compile("NODE_(OPTIONS|PATH)|GIT_(SSH|SSH_COMMAND|EDITOR"
      + "|SEQUENCE_EDITOR|PAGER|ASKPASS|EXTERNAL_DIFF|PROXY_COMMAND|TEMPLATE_DIR|EXEC_PATH|CONFIG.*)"
      + "|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|MAVEN_OPTS|GRADLE_OPTS|PERL5(OPT|LIB|DB)|PERLLIB"
      + "|PYTHON(STARTUP|PATH|HOME|INSPECT|BREAKPOINT)|RUBY(OPT|LIB)|PAGER|EDITOR|VISUAL|BROWSER|LESSOPEN|SSH_ASKPASS"
      + "|RSYNC_RSH|KUBECONFIG|DOCKER_HOST|ANSIBLE_.*");
  private static final List<String> CODE = List.of("$(x)", "`x`", ";x", "x;y", "a b", "'x'", "|x", "x=y", "--x=y");
  private static final List<String> OPTIONS = List.of("-x", "--x", "-oProxyCommand=x", "--upload-pack=x");

  private final List<Template> words;
  private final List<Parameter> params;
  private final List<ArgumentReview.Remark> remarks = new ArrayList<>();

  private IndirectCodeReview(List<Template> words, List<Parameter> params) {
    this.words = words;
    this.params = params;
  }

  /** A warning about a place in a script. */
  public record ScriptRemark(int offset, String message) {}

  /** The warnings about a program and its arguments. */
  public static List<ArgumentReview.Remark> ofProgram(List<Template> words, List<Parameter> params) {
    IndirectCodeReview review = new IndirectCodeReview(words, params);
    if (!words.isEmpty()) {
      review.reviewProgram(baseName(words.getFirst()));
    }
    return review.remarks;
  }

  /** The warnings about the value of a variable in a step's environment. */
  public static List<ArgumentReview.Remark> ofVariable(String name, Template value, List<Parameter> params) {
    IndirectCodeReview review = new IndirectCodeReview(List.of(value), params);
    if (PROGRAM_VARIABLES.matcher(name).matches()) {
      review.reviewCode(0, "the variable " + name + ", from which programs load code");
    }
    return review.remarks;
  }

  /** The warnings about a script that evaluates a parameter again. */
  public static List<ScriptRemark> ofScript(String script, List<Parameter> params) {
    List<ScriptRemark> found = new ArrayList<>();
    EVALUATED.matcher(script).results().forEach(it -> params.stream()
        .filter(param -> param.variable().equals(it.group(1)) && accepts(param, CODE))
        .forEach(param -> found.add(new ScriptRemark(it.start(1), "eval runs the value of parameter '" + param.name()
            + "' as code; leave eval out, or give the parameter an enum or a narrow pattern"))));
    return found;
  }

  private void reviewProgram(String program) {
    if (program.equals("ssh")) {
      int host = operand(1, SSH_VALUE);
      for (int i = host + 1; i < words.size(); i++) {
        reviewCode(i, "the command that ssh passes to a shell on the other host");
      }
    } else if (AWKS.contains(program)) {
      int code = operand(1, AWK_VALUE);
      boolean isInFile = words.subList(1, Math.min(code, words.size())).stream()
          .anyMatch(it -> literal(it).matches("-f|--file"));
      if (!isInFile) {
        reviewCode(code, "the program that " + program + " runs");
      }
    } else if (program.equals("psql") || program.equals("mysql") || program.equals("mariadb")) {
      reviewValues(SQL_OPTION, SQL_PREFIX, "the statement that " + program + " runs");
    } else if (program.startsWith("ansible")) {
      reviewValues(ANSIBLE_OPTION, ANSIBLE_PREFIX, "the variables or arguments that " + program + " evaluates");
    }
    reviewShells(program);
    if (OPTIONS_RUN_CODE.contains(program)) {
      reviewOperands(program);
    }
  }

  /** A shell anywhere in the arguments; {@link ArgumentReview} checks those that this host runs itself. */
  private void reviewShells(String program) {
    for (int i = 1; i < words.size() && !ArgumentReview.runsProgramItself(program); i++) {
      String shell = baseName(words.get(i));
      if (SHELLS.contains(shell)) {
        ArgumentReview.codeOfShell(words, i).ifPresent(code -> reviewCode(code, "the code that " + shell + " runs"));
      }
    }
  }

  /** The index of the first operand. */
  private int operand(int from, Pattern takesNext) {
    int i = from;
    while (i < words.size() && isOption(words.get(i))) {
      if (literal(words.get(i)).equals("--")) {
        return i + 1;
      }
      i += takesNext.matcher(literal(words.get(i))).matches() ? 2 : 1;
    }
    return i;
  }

  private void reviewValues(Pattern option, Pattern prefix, String what) {
    for (int i = 1; i < words.size(); i++) {
      if (option.matcher(literal(words.get(i - 1))).matches() || prefix.matcher(literal(words.get(i))).matches()) {
        reviewCode(i, what);
      }
    }
  }

  private void reviewCode(int word, String what) {
    if (word >= words.size()) {
      return;
    }
    for (Reference reference : words.get(word).references()) {
      parameter(reference).filter(param -> accepts(param, CODE)).ifPresent(param -> remarks.add(
          new ArgumentReview.Remark(word, reference.offset(), "parameter '" + param.name() + "' becomes part of " + what
              + "; give it an enum or a narrow pattern")));
    }
  }

  /** Operands that begin with a parameter which may begin with a dash. */
  private void reviewOperands(String program) {
    for (int i = 1; i < words.size() && !literal(words.get(i)).equals("--"); i++) {
      Template word = words.get(i);
      int at = i;
      if (!word.parts().isEmpty() && word.parts().getFirst() instanceof Reference reference
          && !isOption(words.get(i - 1))) {
        parameter(reference).filter(param -> accepts(param, OPTIONS) && isUnremarked(at, reference))
            .ifPresent(param -> remarks.add(new ArgumentReview.Remark(at, reference.offset(), "parameter '"
                + param.name() + "' may begin with a dash, and become an option of " + program
                + "; write \"--\" before it, or give it a pattern that excludes this")));
      }
    }
  }

  private boolean isUnremarked(int word, Reference reference) {
    return remarks.stream().noneMatch(it -> it.word() == word && it.reference() == reference.offset());
  }

  private static boolean isOption(Template word) {
    return !word.parts().isEmpty() && word.parts().getFirst() instanceof Literal(String text) && text.startsWith("-");
  }

  private Optional<Parameter> parameter(Reference reference) {
    return reference.variable() instanceof Param(String name)
        ? params.stream().filter(param -> param.name().equals(name)).findFirst()
        : Optional.empty();
  }

  /** Whether a parameter accepts one of several texts, each of which shows what it could do. */
  private static boolean accepts(Parameter param, List<String> texts) {
    Pattern pattern = param.limits().pattern();
    return param.type() == Parameter.Type.STRING && param.limits().allowed().isEmpty()
        && (pattern == null || texts.stream().anyMatch(text -> pattern.matcher(text).matches()));
  }

  private static String baseName(Template word) {
    String text = literal(word);
    return text.substring(text.lastIndexOf('/') + 1);
  }

  private static String literal(Template word) {
    return ArgumentReview.literal(word);
  }
}
