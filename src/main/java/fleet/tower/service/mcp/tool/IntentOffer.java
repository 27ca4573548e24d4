package fleet.tower.service.mcp.tool;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

import fleet.tower.access.Caller;
import fleet.tower.intent.Catalogue;
import fleet.tower.intent.Intent;
import fleet.tower.intent.ToolName;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.text.Nearest;
import fleet.tower.service.mcp.wire.Exchange;

/**
 * The intents that callers are offered as tools: one for each, or, because models choose badly among many tools, two
 * that find and run any of them.
 */
public record IntentOffer(Catalogue catalogue, Mode mode) {
  private static final int MANY = 20;

  /** Whether each intent has a tool of its own. */
  public enum Mode {
    /** Each intent has one if there are no more than 20. */
    AUTO, EACH, SEARCH;

    /** The mode of the setting {@code tower.mcp.tools}. */
    public static Mode of(String text) {
      List<String> known = Arrays.stream(values()).map(Mode::toString).toList();
      return Arrays.stream(values()).filter(mode -> mode.toString().equals(text)).findFirst()
          .orElseThrow(() -> new InvalidValue(InvalidValue.Kind.REQUEST, "tower.mcp.tools must be one of "
              + String.join(", ", known) + ", not " + InvalidValue.shown(text)
              + Nearest.of(text, known).map(near -> "; did you mean " + near + "?").orElse("")));
    }

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** The intents that a caller may run, by name. */
  List<Intent> allowed(Caller caller) {
    return catalogue.list().stream().filter(intent -> caller.mayRun(intent.name())).toList();
  }

  /** Whether the caller's intents have no tools of their own. */
  boolean isSearched(Caller caller) {
    int allowed = allowed(caller).size();
    return allowed > 0 && switch (mode) {
      case AUTO -> allowed > MANY;
      case EACH -> false;
      case SEARCH -> true;
    };
  }

  /** The intent that a tool runs, if it is the tool of one. */
  Optional<Intent> named(String tool) {
    return catalogue.list().stream().filter(intent -> ToolName.of(intent.name()).equals(tool)).findFirst();
  }

  /** Whether parameters of an intent that has this name or a similar one are secret. */
  boolean hasSecrets(String intent, Set<String> params) {
    return !Collections.disjoint(catalogue.secrets(intent), params);
  }

  /** The call of a tool, as its refusal repeats it. */
  public RefusedToolCall refused(Exchange exchange) {
    return new RefusedToolCall(exchange, this);
  }
}
