package fleet.tower.intent;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * One command of an intent.
 *
 * @param timeout how long it may take; null for the intent's own
 * @param rollback what undoes it; null where nothing does
 */
public record Step(String name, Action action, Map<String, Template> env, @Nullable Duration timeout,
    @Nullable Argv rollback) {
  public Step {
    requireNonNull(name);
    requireNonNull(action);
    env = Collections.unmodifiableMap(new LinkedHashMap<>(env));
  }

  /** What a step runs. */
  public sealed interface Action {}

  /** A program and its arguments, each a word of its own whatever is in it; no shell reads them. */
  public record Argv(List<Template> words) implements Action {
    public Argv {
      words = List.copyOf(words);
    }
  }

  /** A script for {@code bash -euo pipefail}; it sees parameters in its environment only. */
  public record Script(String text) implements Action {
    public Script {
      requireNonNull(text);
    }
  }
}
