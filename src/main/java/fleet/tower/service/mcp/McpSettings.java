package fleet.tower.service.mcp;

import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

import fleet.tower.home.Settings;

/**
 * How tools are offered and how long their calls take.
 *
 * @param taskAfter when a run becomes a task
 * @param answerWithin when a call returns although its run continues
 */
public record McpSettings(Tools tools, Duration taskAfter, Duration answerWithin) {

  /** How intents become tools. */
  public enum Tools {
    /** One tool per intent while there are few. */
    AUTO,
    /** One tool per intent. */
    EACH,
    /** Two tools that search intents and run one. */
    SEARCH
  }

  /** The settings of an environment, by the names of their variables. */
  public static McpSettings of(Function<String, Optional<String>> environment) {
    return new McpSettings(Tools.valueOf(Settings.MCP_TOOLS.of(environment).toUpperCase(Locale.ROOT)),
        Settings.MCP_TASK_AFTER.of(environment), Settings.MCP_ANSWER_WITHIN.of(environment));
  }
}
