package fleet.tower.intent;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * A command of an intent.
 *
 * @param timeout how long the step may take; null for the intent's default
 * @param rollback the command that undoes the step, in the step's environment and with its timeout; null if there is
 *     none
 */
public record Step(String name, Action action, Map<String, Template> env, @Nullable Duration timeout,
    @Nullable Action rollback) {
  public Step {
    env = Collections.unmodifiableMap(new LinkedHashMap<>(env));
  }

  /** The command that a step runs. */
  public sealed interface Action {}

  /** A program and its arguments. Each is passed as one word, whatever it contains; no shell interprets them. */
  public record Argv(List<Template> words) implements Action {
    public Argv {
      words = List.copyOf(words);
    }
  }

  /** A script for {@code bash -euo pipefail}; it reads parameters from its environment only. */
  public record Script(String text) implements Action {}
}
