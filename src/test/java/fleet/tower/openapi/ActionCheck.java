package fleet.tower.openapi;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import fleet.tower.openapi.Document.Operation;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A check of the next actions of a refusal: each is a call that the document allows, complete, and permitted for the
 * caller's role; commands are collected, so that they can be parsed.
 */
final class ActionCheck {
  private static final List<String> ROLES = List.of("none", "viewer", "agent", "operator");
  private static final Pattern REQUEST = Pattern.compile("ask an operator to run: (tower .*) \\(.*\\)");
  private static final Pattern PLACEHOLDER = Pattern.compile("…|\\.\\.\\.|(?<![\\w'-])(?!NEW\\b)[A-Z]{3,}(?![\\w'-])");

  private final Document document;
  private final Set<String> commands = new TreeSet<>();

  ActionCheck(Document document) {
    this.document = document;
  }

  /** The commands of all actions so far. */
  Set<String> commands() {
    return commands;
  }

  /** The mistakes of an answer's actions for a caller with a role; {@code none} has no token. */
  List<String> mistakes(String problem, String role) {
    JsonNode actions = JsonMapper.shared().readTree(problem).path("next_actions");
    List<String> mistakes = new ArrayList<>();
    if (actions.isEmpty()) {
      mistakes.add("it has no next action");
    }
    boolean wasAdvice = false;
    for (JsonNode action : actions) {
      boolean isAdvice = !action.has("method") && !action.has("command");
      if (wasAdvice && !isAdvice) {
        mistakes.add("an action follows advice: " + action);
      }
      wasAdvice |= isAdvice;
      if (action.has("method")) {
        mistakes.addAll(call(action, role));
      }
      command(action).ifPresent(command -> {
        commands.add(command);
        if (PLACEHOLDER.matcher(command).find()) {
          mistakes.add("an incomplete command: " + command);
        }
      });
    }
    return mistakes;
  }

  private static Optional<String> command(JsonNode action) {
    Matcher request = REQUEST.matcher(action.path("why").asString(""));
    return action.has("command")
        ? Optional.of(action.get("command").asString())
        : Optional.of(request).filter(Matcher::matches).map(it -> it.group(1));
  }

  private List<String> call(JsonNode action, String role) {
    String href = action.path("href").asString("");
    String path = href.replaceFirst("\\?.*", "");
    Optional<Operation> found = document.operations().values().stream()
        .filter(it -> it.method().equals(action.get("method").asString()) && path.matches(pattern(it)))
        // A literal path is closer than one with a variable.
        .min(Comparator.comparingLong(it -> it.path().chars().filter(c -> c == '{').count()));
    if (found.isEmpty()) {
      return List.of("there is no such call: " + action);
    }
    List<String> mistakes = new ArrayList<>();
    Operation call = found.get();
    String needed = call.needsToken() ? call.role() : "none";
    if (ROLES.indexOf(role) < ROLES.indexOf(needed)) {
      mistakes.add("a caller of role " + role + " may not: " + action);
    }
    if (ROLES.indexOf(role) < ROLES.indexOf("operator") && action.path("body").path("force_lock").asBoolean(false)) {
      mistakes.add("a caller of role " + role + " may not force: " + action);
    }
    if (call.hasBody() != action.has("body")) {
      mistakes.add("its body is missing or not wanted: " + action);
    } else if (call.hasBody()) {
      document.mistakes(call.body().at("schema").pointer(), action.get("body").toString())
          .forEach(mistake -> mistakes.add(action + ": " + mistake));
    }
    return mistakes;
  }

  private static String pattern(Operation operation) {
    return "\\Q" + operation.path().replaceAll("\\{[^}]*}", "\\\\E[^/]+\\\\Q") + "\\E";
  }
}
