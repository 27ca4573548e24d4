package fleet.tower.cli.prime;

import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.Caller;
import fleet.tower.lock.LockView;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.text.Console;

/** The page of {@code tower prime} for an agent that works with tools instead of commands. */
public final class ToolsPage {
  private ToolsPage() {}

  /**
   * The page as Markdown.
   *
   * @param intents all intents, as {@code tower intents} lists them
   *
   * @param project the directory whose scripts may run commands under a guard; null for none
   */
  public static String markdown(Caller caller, JsonObject intents, List<LockView> locks, @Nullable Path project) {
    Briefing briefing = Briefing.of(Reader.withTools(caller),
        project == null ? Collections.emptySortedMap() : GuardedScripts.in(project), intents, locks);
    return briefing.markdown().stream().map(line -> Console.printable(line) + "\n").collect(Collectors.joining());
  }
}
