package fleet.tower.intent.yaml;

import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import fleet.tower.intent.Parameter;
import fleet.tower.platform.text.Nearest;

/**
 * References of templates in scripts, where they are mistakes: a value would become code, so scripts read values from
 * their environment. Every other {@code ${…}} is the shell's own, as is {@code $$}, the id of its process.
 */
final class ScriptReferences {
  private static final Pattern REFERENCE = Pattern
      .compile("(?<!\\$)(?:\\$\\$)*(\\$\\{(params|request|intent|lock)\\.([A-Za-z0-9_]*))");
  private static final Map<String, String> VARIABLES = Map.of("request.id", "TOWER_REQUEST_ID", "request.actor",
      "TOWER_ACTOR", "intent.name", "TOWER_INTENT", "lock.name", "TOWER_LOCK_NAME", "lock.token", "TOWER_LOCK_TOKEN");

  private ScriptReferences() {}

  /** A mistake at an offset of the script. */
  record Mistake(int offset, String message) {}

  /** The mistakes in a script, in order. */
  static List<Mistake> in(String script, List<Parameter> params) {
    return REFERENCE.matcher(script).results().map(it -> new Mistake(it.start(1), message(it, params))).toList();
  }

  private static String message(MatchResult reference, List<Parameter> params) {
    String name = reference.group(2) + "." + reference.group(3);
    return "${" + name + "} is not replaced in a script, because its value would become code; "
        + (reference.group(2).equals("params") ? parameter(reference.group(3), params) : fact(name));
  }

  private static String parameter(String name, List<Parameter> params) {
    List<String> names = params.stream().map(Parameter::name).toList();
    String meant = names.contains(name) ? name : Nearest.of(name, names).orElse("");
    return params.stream().filter(param -> param.name().equals(meant)).findFirst()
        .map(param -> "write \"$" + param.variable() + "\"")
        .orElseGet(() -> names.isEmpty()
            ? "declare the parameter under params and write \"$PARAM_NAME\""
            : "the parameters are " + String.join(", ",
                params.stream().map(param -> "\"$" + param.variable() + "\"").toList()));
  }

  private static String fact(String name) {
    String variable = VARIABLES.get(name);
    return variable == null
        ? "set a variable with it in env, such as env: { VALUE: \"${" + name + "}\" }, and write \"$VALUE\""
        : "write \"$" + variable + "\"";
  }
}
