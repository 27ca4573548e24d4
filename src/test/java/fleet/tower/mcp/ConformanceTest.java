package fleet.tower.mcp;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Extent;
import fleet.tower.mcp.ConformanceRun.Verdict;
import fleet.tower.service.config.TestService;

@DisplayName("The conformance suite of the Model Context Protocol")
class ConformanceTest {
  private static final Path PAGE = Path.of(System.getProperty("project.basedir", ""), "docs/mcp-conformance.md");
  /**
   * The suite waits half a second for some answers, which is too short on a busy machine, for one scenario or another.
   */
  private static final int ATTEMPTS = 5;
  private static final String NEWEST = "2026-07-28";
  private static final List<String> REVISIONS = List.of(NEWEST, "2025-11-25");

  @Test
  @Timeout(1800)
  @DisplayName("It has the documented verdict on each scenario of both revisions, and every message is valid")
  void verdicts(@TempDir Path directory) throws IOException {
    NodeTools tools = NodeTools.installed();
    Path home = directory.resolve("home");
    FixtureIntents.declare(home);
    MessageCheck check = new MessageCheck();
    Map<String, ConformanceRun> runs = new TreeMap<>();
    List<String> revisions = Extent.oneOf(REVISIONS);
    List<String> differences = List.of("nothing was run");
    try (TestService service = new TestService(home, "--tower.mcp.tools=each", "--tower.mcp.task-after=500ms",
        "--spring.main.sources=" + FixtureConfiguration.class.getName());
        McpProxy proxy = new McpProxy(check, new McpProxy.Server(service.url(), service.token()))) {
      for (int attempt = 0; attempt < ATTEMPTS && !differences.isEmpty(); attempt++) {
        for (String revision : revisions) {
          List<String> wrong = differences;
          ConformanceRun run = ConformanceRun.of(tools, revision, proxy.url(), directory.resolve("attempt-" + attempt));
          runs.merge(revision, run, (before, now) -> before.replacedBy(now,
              name -> wrong.stream().noneMatch(it -> it.startsWith(revision + " " + name + " "))));
        }
        differences = differences(Files.readString(PAGE), runs).stream()
            .filter(it -> revisions.stream().anyMatch(it::startsWith)).toList();
      }
    }

    assertThat(differences).isEmpty();
    assertThat(check.mistakes()).isEmpty();
    for (String revision : revisions) {
      assertThat(check.seen()).contains(revision + " CallToolResult");
    }
    if (revisions.contains(NEWEST)) {
      assertThat(check.seen()).contains("tasks CreateTaskResult", "tasks GetTaskResult",
          NEWEST + " SubscriptionsAcknowledgedNotification", NEWEST + " ProgressNotification");
    }
  }

  @Test
  @DisplayName("A verdict that is not documented, or is documented differently, is a difference")
  void differs() {
    Map<String, ConformanceRun> runs = Map.of(
        "2026-07-28", new ConformanceRun(Map.of("a", verdict(), "b", verdict("x", "y"), "c", verdict("z"))),
        "2025-11-25", new ConformanceRun(Map.of("a", verdict())));

    assertThat(differences("""
        | `a` | passes | passes | |
        | `b` | fails `x`, `y` | – | no such thing |
        | `c` | not applicable | – | no such thing |
        """, runs)).isEmpty();
    assertThat(differences("""
        | `a` | passes | – | |
        | `b` | fails `x` | – | no such thing |
        | `c` | not applicable | – | |
        | `d` | passes | – | |
        """, runs)).containsExactly("2025-11-25 a passes, but the page says –",
        "2026-07-28 b fails `x`, `y`, but the page says fails `x`: [because]", "2026-07-28 c has no reason",
        "2026-07-28 d –, but the page says passes");
    assertThat(differences("| `a` | not applicable | passes | no such thing |", runs))
        .contains("2026-07-28 a passes, but the page says not applicable", "2026-07-28 b is not on the page");
  }

  private static Verdict verdict(String... failed) {
    return new Verdict(1, List.of(failed), List.of(), failed.length == 0 ? List.of() : List.of("because"));
  }

  /** The differences between the table of the page and the verdicts. */
  private static List<String> differences(String page, Map<String, ConformanceRun> runs) {
    Map<String, String[]> rows = new TreeMap<>();
    page.lines().filter(line -> line.startsWith("| `")).map(line -> line.split("\\|", -1))
        .forEach(cells -> rows.put(cells[1].strip().replace("`", ""), cells));
    List<String> differences = new ArrayList<>();
    TreeSet<String> names = new TreeSet<>(rows.keySet());
    runs.values().forEach(run -> names.addAll(run.verdicts().keySet()));
    for (String name : names) {
      for (int i = 0; i < REVISIONS.size(); i++) {
        String[] row = rows.get(name);
        Verdict verdict = runs.getOrDefault(REVISIONS.get(i), new ConformanceRun(Map.of())).verdicts().get(name);
        String what = REVISIONS.get(i) + " " + name;
        if (row != null) {
          difference(what, row[2 + i].strip(), row[4].strip(), verdict).ifPresent(differences::add);
        } else if (verdict != null) {
          differences.add(what + " is not on the page");
        }
      }
    }
    return differences;
  }

  private static Optional<String> difference(String what, String said, String reason,
      @Nullable Verdict verdict) {
    String found = verdict == null ? "–" : shown(verdict);
    boolean isSame = said.equals(found) || (said.equals("not applicable") && found.startsWith("fails"));
    if (!isSame) {
      return Optional.of(what + " " + found + ", but the page says " + said
          + (verdict == null || verdict.reasons().isEmpty() ? "" : ": " + verdict.reasons()));
    }
    return reason.isEmpty() && !said.equals("–") && !said.equals("passes")
        ? Optional.of(what + " has no reason")
        : Optional.empty();
  }

  private static String shown(Verdict verdict) {
    if (!verdict.failed().isEmpty()) {
      return "fails " + verdict.failed().stream().map(id -> "`" + id + "`").collect(joining(", "));
    }
    return verdict.passed() == 0 ? "skipped" : "passes";
  }
}
