package fleet.tower.service.config.trace;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.service.config.TestService;
import fleet.tower.service.config.trace.Collector.Span;

@DisplayName("Runs and steps as spans, with a configured collector")
class SpansTest {
  private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
  private static final String CALLER = "b7ad6b7169203331";
  private static final long SERVER = 2;
  private static final long INTERNAL = 1;
  private static final long ERROR = 2;
  private final Path home;
  @AutoClose
  private final Collector collector;

  SpansTest(@TempDir Path home) throws Exception {
    this.home = home;
    collector = new Collector();
    TestService.declare(home, "show", """
        mode: mutate
        params:
          key: { type: string, secret: true }
        controls: { lock: shown }
        steps:
          - { name: one, script: 'echo "one=$TRACEPARENT"; sleep 0.05' }
          - { name: two, script: 'echo "two=$TRACEPARENT"; printenv PARAM_KEY || true' }
        """);
    TestService.declare(home, "fail", """
        mode: mutate
        controls: { lock: failed }
        steps:
          - { name: good, run: [echo, x], rollback: [sh, -c, 'echo "undo=$TRACEPARENT"'] }
          - { name: bad, script: exit 7 }
          - { name: never, run: [echo, x] }
        """);
  }

  /** Makes calls of a service that reports to the collector, and stops it, so that all spans are sent. */
  private String run(String intent, String body, String traceparent, String... settings) {
    List<String> all = new ArrayList<>(
        List.of("--management.opentelemetry.tracing.export.otlp.endpoint=" + collector.url()));
    all.addAll(List.of(settings));
    try (TestService service = new TestService(home, all.toArray(String[]::new))) {
      return traceparent.isEmpty()
          ? service.post("/intents/" + intent, body).body()
          : service.call("POST", "/intents/" + intent, body, "Content-Type", "application/json", "traceparent",
              traceparent).body();
    }
  }

  @Test
  @DisplayName("The run is a child of the caller's span, each step a child of the run, and a step's processes "
      + "get the step's span")
  void belowTheCaller() {
    String answer = run("show", "{\"request_id\":\"r1\",\"params\":{\"key\":\"hidden-word\"}}",
        "00-" + TRACE + "-" + CALLER + "-01");

    Span run = collector.span("run show");
    assertThat(collector.spans()).hasSize(3).extracting(Span::traceId).containsOnly(TRACE);
    assertThat(run.parentId()).isEqualTo(CALLER);
    assertThat(run.kind()).isEqualTo(SERVER);
    assertThat(run.status()).isZero();
    assertThat(run.attributes()).isEqualTo(Map.of("tower.request_id", "r1", "tower.intent", "show",
        "tower.intent_version", "1.0.0", "tower.mode", "mutate", "tower.actor", "operator", "tower.lock_name", "shown",
        "tower.status", "succeeded", "tower.result", "success"));
    for (String name : List.of("one", "two")) {
      Span step = collector.span("step " + name);
      assertThat(step.parentId()).isEqualTo(run.spanId());
      assertThat(answer).contains(name + "=00-" + TRACE + "-" + step.spanId() + "-01");
      assertThat(step.attributes()).isEqualTo(Map.of("tower.request_id", "r1", "tower.intent", "show", "tower.step",
          name, "tower.step_kind", "step", "tower.status", "succeeded", "tower.exit_code", "0"));
    }
    assertThat(collector.span("step one").nanos()).isBetween(50_000_000L, run.nanos());
    assertThat(answer).contains("\"traceparent\":\"00-" + TRACE + "-" + CALLER + "-01\"");
    assertThat(collector.spans().toString()).doesNotContain("hidden-word");
    assertThat(collector.services()).contains("service.name=tower-executor");
  }

  @Test
  @DisplayName("A run without a trace begins one; a failure is an error, and a rollback has its own span")
  void ofItsOwn() {
    String answer = run("fail", "{\"request_id\":\"r2\"}", "");

    Span run = collector.span("run fail");
    assertThat(run.parentId()).isEmpty();
    assertThat(run.kind()).isEqualTo(INTERNAL);
    assertThat(run.status()).isEqualTo(ERROR);
    assertThat(run.attributes()).containsEntry("tower.result", "failure").containsEntry("tower.failure_step", "bad");
    assertThat(collector.spans()).extracting(Span::name).containsExactlyInAnyOrder("run fail", "step good", "step bad",
        "step good");
    assertThat(collector.span("step bad").status()).isEqualTo(ERROR);
    assertThat(collector.span("step bad").attributes()).containsEntry("tower.exit_code", "7");
    Span undoing = collector.spans().stream()
        .filter(span -> "step_rollback".equals(span.attributes().get("tower.step_kind")))
        .findFirst().orElseThrow();
    assertThat(undoing.parentId()).isEqualTo(run.spanId());
    assertThat(answer).contains("undo=00-" + run.traceId() + "-" + undoing.spanId() + "-01");
    assertThat(collector.spans()).extracting(Span::spanId).doesNotHaveDuplicates();
  }

  @Test
  @DisplayName("A queued run is a child of its submitter's span")
  void queued() {
    String answer = run("show", "{\"request_id\":\"r3\",\"queue\":true}", "00-" + TRACE + "-" + CALLER + "-01");

    assertThat(collector.span("run show").parentId()).isEqualTo(CALLER);
    assertThat(answer).contains("one=00-" + TRACE + "-" + collector.span("step one").spanId() + "-01");
  }

  @Test
  @DisplayName("An unsampled trace is not exported, and its steps know that")
  void notSampled() {
    String answer = run("show", "{}", "00-" + TRACE + "-" + CALLER + "-00");

    assertThat(collector.spans()).isEmpty();
    assertThat(answer).containsPattern("one=00-" + TRACE + "-[0-9a-f]{16}-00");
  }

  @Test
  @DisplayName("Runs without a trace are exported at the configured rate")
  void probability() {
    assertThat(run("show", "{}", "", "--management.tracing.sampling.probability=0"))
        .containsPattern("one=00-[0-9a-f]{32}-[0-9a-f]{16}-00");
    assertThat(collector.spans()).isEmpty();
  }

  @Test
  @DisplayName("An unreachable collector affects no run")
  void nobodyListens() {
    collector.close();

    assertThat(run("show", "{\"request_id\":\"r4\"}", "", "--management.opentelemetry.tracing.export.otlp.timeout=1s",
        "--management.opentelemetry.tracing.export.timeout=1s")).contains("\"result\":\"success\"");
  }

  @Test
  @DisplayName("Log lines about the run have its trace and its span")
  void logged() {
    List<String> printed;
    try (TestService service = new TestService(home, "--tower.log.format=ecs",
        "--management.opentelemetry.tracing.export.otlp.endpoint=" + collector.url())) {
      assertThat(service.post("/intents/show", "{\"request_id\":\"r5\"}").status()).isEqualTo(200);
      printed = service.printed();
    }

    Span run = collector.span("run show");
    assertThat(printed).filteredOn(line -> line.contains("\"request_id\":\"r5\"")).hasSizeGreaterThan(3)
        .allSatisfy(line -> assertThat(line).contains("\"trace\":{\"id\":\"" + run.traceId() + "\"}")
            .contains("\"span\":{\"id\":\"" + run.spanId() + "\"}"));
  }
}
