package fleet.tower.service.config.metrics;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

import fleet.tower.audit.EventNames;
import fleet.tower.harness.Await;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.service.config.TestService;

@DisplayName("The shipped alert rules and dashboard")
class AlertsAndDashboardTest {
  private static final Path OBSERVE = Path.of("observe");
  private static final Pattern METRIC = Pattern.compile("\\btower_[a-z_]+");
  private static final Pattern CONDITION = Pattern.compile("\\b(event|outcome|result)=~?\\\\?\"([^\"\\\\]+)\\\\?\"");
  /** The metrics that the requirement names. */
  private static final Set<String> PROMISED = Set.of("tower_locks_held", "tower_locks_stale", "tower_lock_waiters",
      "tower_lock_wait_seconds", "tower_lock_held_seconds", "tower_lock_acquisitions_total",
      "tower_lock_heartbeat_failures_total", "tower_lock_heartbeat_lag_seconds", "tower_leases_failing",
      "tower_database_connections_used", "tower_database_connections_waiting",
      "tower_approvals_open", "tower_runs_active", "tower_requested_runs", "tower_requested_runs_largest",
      "tower_waiting_calls",
      "tower_waiting_calls_largest", "tower_mailbox_messages_largest", "tower_mailbox_bytes_largest",
      "tower_schedule_blocked", "tower_drift", "tower_database_up", "tower_intents_differing",
      "tower_run_duration_seconds", "tower_step_duration_seconds", "tower_rollbacks_total",
      "tower_idempotency_replays_total", "tower_audit_events_total", "tower_audit_events_lost_total");
  private static final Map<String, List<String>> VALUES = Map.of("event", EventNames.ALL, "outcome", Outcomes.ALL,
      "result", List.of("success", "failure", "aborted", "skipped"));

  private static Set<String> told(Path home) {
    TestService.declare(home, "good", """
        mode: mutate
        controls: { lock: good }
        steps:
          - { name: one, run: [echo, one] }
        """);
    TestService.declare(home, "yearly", """
        mode: reconcile
        schedule: "0 0 4 1 1 *"
        probe: { run: [echo, "{}"] }
        desired: {}
        steps:
          - { name: one, run: [echo, one] }
        """);
    try (TestService service = new TestService(home)) {
      Await.until("the schedule was checked", () -> Scrape.of(service).samples().keySet().stream()
          .anyMatch(sample -> sample.startsWith("tower_schedule_blocked")));
      assertThat(service.post("/intents/good", "{}").status()).isEqualTo(200);
      return Scrape.of(service).samples().keySet().stream().map(sample -> sample.replaceAll("\\{.*", ""))
          .filter(name -> name.startsWith("tower_")).collect(Collectors.toCollection(TreeSet::new));
    }
  }

  private static List<String> found(Pattern pattern, String text, int group) {
    return pattern.matcher(text).results().map(result -> result.group(group)).distinct().toList();
  }

  @Test
  @DisplayName("They use only metrics of a running service, and the dashboard shows all required metrics")
  void names(@TempDir Path home) throws IOException {
    Set<String> told = told(home);
    String dashboard = Files.readString(OBSERVE.resolve("dashboard.json"));

    assertThat(told).containsAll(found(METRIC, Files.readString(OBSERVE.resolve("alerts.yaml")), 0))
        .containsAll(found(METRIC, dashboard, 0));
    assertThat(families(told.stream())).isEqualTo(PROMISED);
    assertThat(families(found(METRIC, dashboard, 0).stream())).isEqualTo(PROMISED);
  }

  private static Set<String> families(Stream<String> names) {
    return names.map(name -> name.replaceAll("_seconds_(bucket|count|sum|max)$", "_seconds"))
        .collect(Collectors.toSet());
  }

  @ParameterizedTest
  @DisplayName("Every label value in a selector exists")
  @ValueSource(strings = {"alerts.yaml", "dashboard.json"})
  void values(String file) throws IOException {
    List<MatchResult> conditions = CONDITION.matcher(Files.readString(OBSERVE.resolve(file))).results().toList();

    assertThat(conditions).isNotEmpty().allSatisfy(condition -> assertThat(VALUES.get(condition.group(1)))
        .containsAll(List.of(condition.group(2).split("\\|"))));
  }

  @Test
  @DisplayName("Each alert has a condition, a severity and a remedy; both files are well formed")
  void alerts() throws Exception {
    assertThat(JsonReader.readObject(Files.readString(OBSERVE.resolve("dashboard.json"))).text("title"))
        .contains("Tower Executor");
    LoaderOptions strict = new LoaderOptions();
    strict.setAllowDuplicateKeys(false);
    Object read = new Yaml(new SafeConstructor(strict)).load(Files.readString(OBSERVE.resolve("alerts.yaml")));

    List<Map<String, Object>> rules = list(map(list(map(read).get("groups")).getFirst()).get("rules"));
    assertThat(rules).hasSizeGreaterThan(8).allSatisfy(rule -> {
      assertThat(rule.keySet()).containsAll(Set.of("alert", "expr", "labels", "annotations"))
          .isSubsetOf("alert", "expr", "for", "labels", "annotations");
      assertThat(map(rule.get("labels")).get("severity")).isIn("critical", "warning");
      assertThat(map(rule.get("annotations")).keySet()).containsExactlyInAnyOrder("summary", "action");
    });
    assertThat(rules).extracting(rule -> rule.get("alert")).doesNotHaveDuplicates();
    assertThat(rules).extracting(rule -> rule.get("expr")).contains("tower_database_up == 0");
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> map(@Nullable Object value) {
    return (Map<String, Object>) requireNonNull(value);
  }

  @SuppressWarnings("unchecked")
  private static List<Map<String, Object>> list(@Nullable Object value) {
    return (List<Map<String, Object>>) requireNonNull(value);
  }
}
