package fleet.tower.run.submit;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import fleet.tower.harness.Extent;
import fleet.tower.intent.Catalogue;
import fleet.tower.intent.Controls;
import fleet.tower.intent.Effect;
import fleet.tower.intent.Intent;
import fleet.tower.intent.OutputRule;
import fleet.tower.intent.Parameter;
import fleet.tower.intent.Repetition;
import fleet.tower.intent.SecretSource;
import fleet.tower.intent.StepLimits;
import fleet.tower.intent.Template;
import fleet.tower.intent.Values;
import fleet.tower.lease.Actor;
import fleet.tower.lease.Door;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.lock.RecordedAudit;
import fleet.tower.platform.json.CanonicalJson;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.secret.HomeKey;
import fleet.tower.platform.time.ManualTime;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.policy.PolicyRules;
import fleet.tower.policy.PolicySource;
import fleet.tower.run.ManualProcesses;
import fleet.tower.run.Run;
import fleet.tower.run.Tracing;
import fleet.tower.run.execute.LockTerms;
import fleet.tower.run.execute.PreparedRun;
import fleet.tower.run.execute.Prober;

@DisplayName("Two requests have the same plan only if they would do the same")
class PlanDocumentTest {
  private static final int PAIRS = Extent.of(1_000, 10_000, 10_000);
  private static final OutputRule.Form LETTERS = new OutputRule.Lines(Pattern.compile("[a-z]+"));
  private static final HomeKey OTHER_KEY = new HomeKey(() -> "another key");

  /** An intent and a request for it, of which each part can be another one. */
  private record Subject(String name, String version, Intent.Mode mode, Controls controls, Intent.Timeouts timeouts,
      List<Intent.Step> steps, List<Intent.Step> rollback, List<String> labels, Map<String, String> files,
      Map<String, String> params, boolean force, HomeKey key, Map<String, SecretSource> sources) {

    static Subject plain() {
      return new Subject("deploy", "1.2.0", Intent.Mode.MUTATE,
          controls("${params.a}-prod", Controls.OnLockLost.STOP, List.of("beads:/srv/a")),
          new Intent.Timeouts(new Ttl(900), Duration.ofMinutes(10), Duration.ofHours(1)),
          List.of(step("apply", "bin/d.sh", "${params.a}", "${params.b}")), List.of(step("notify", "bin/n.sh")),
          List.of("gpu"), Map.of("bin/d.sh", "echo one"), Map.of("a", "x", "b", "y", "pw", "hush"), false,
          TestExecutor.KEY, Map.of());
    }

    static Controls controls(String lock, Controls.OnLockLost onLockLost, List<String> respect) {
      return new Controls(template(lock), Controls.Heartbeat.TIMER, onLockLost, Controls.OnStale.REFUSE,
          Controls.OnInterrupted.KEEP, respect.stream().map(PlanDocumentTest::template).toList(), List.of());
    }

    Subject with(String member, Object value) {
      return new Subject(
          is(member, "intent") ? (String) value : name, is(member, "version") ? (String) value : version,
          is(member, "mode") ? (Intent.Mode) value : mode, is(member, "controls") ? (Controls) value : controls,
          is(member, "timeouts") ? (Intent.Timeouts) value : timeouts, is(member, "steps") ? steps(value) : steps,
          is(member, "rollback") ? steps(value) : rollback, is(member, "labels") ? texts(value) : labels,
          is(member, "files") ? map(value) : files, is(member, "params") ? map(value) : params,
          is(member, "force") ? (Boolean) value : force, is(member, "key") ? (HomeKey) value : key,
          is(member, "sources") ? sources(value) : sources);
    }

    Subject withParam(String param, String value) {
      Map<String, String> changed = new HashMap<>(params);
      changed.put(param, value);
      return with("params", changed);
    }

    private static boolean is(String member, String name) {
      return member.equals(name);
    }

    @SuppressWarnings("unchecked")
    private static List<Intent.Step> steps(Object value) {
      return (List<Intent.Step>) value;
    }

    @SuppressWarnings("unchecked")
    private static List<String> texts(Object value) {
      return (List<String>) value;
    }

    @SuppressWarnings("unchecked")
    private static Map<String, String> map(Object value) {
      return (Map<String, String>) value;
    }

    @SuppressWarnings("unchecked")
    private static Map<String, SecretSource> sources(Object value) {
      return (Map<String, SecretSource>) value;
    }

    PlanDocument document() {
      Intent intent = new Intent(new Intent.Metadata(name, version, ""), mode,
          List.of(param("a", false), param("b", false), param("pw", true)), controls, timeouts,
          new Intent.Procedure(steps, rollback, Effect.UNKNOWN, sources, null), null, labels, null).executing(files);
      Map<String, Values.Given> given = new HashMap<>();
      params.forEach((param, text) -> given.put(param, new Values.Given(text, Values.Given.Kind.STRING)));
      RunRequest request = new RunRequest(name, given, null, null,
          new Run.Origin(new Actor("alice", Door.RUN), "{}", null), new LockTerms(force, Duration.ZERO), null,
          null);
      Preparation preparation = new Preparation(new OneIntent(intent), () -> new RequestId("r1"),
          new ManualTime("2026-01-01T10:00:00Z"), key, Tracing.NONE,
          new PolicyRules(PolicySource.NONE, new RecordedAudit(), new ManualTime("2026-01-01T10:00:00Z")),
          new Prober(new ManualProcesses(), SystemTime.scheduler(), "/"));
      return switch (preparation.prepare(request)) {
        case Preparation.Ready(PreparedRun prepared) -> preparation.document(request, prepared);
        case Preparation.NotReady(SubmitOutcome.Refusal why) -> throw new AssertionError("not planned: " + why);
      };
    }

    private static Parameter param(String name, boolean secret) {
      return new Parameter(name, Parameter.Type.STRING, false, null, secret, Parameter.Limits.NONE, "");
    }
  }

  private record OneIntent(Intent intent) implements Catalogue {
    @Override
    public Optional<Intent> find(String name) {
      return Optional.of(intent);
    }

    @Override
    public List<Intent> list() {
      return List.of(intent);
    }

    @Override
    public List<Complaint> complaints() {
      return List.of();
    }
  }

  private static Template template(String text) {
    try {
      return Template.parse(text);
    } catch (Template.Malformed e) {
      throw new AssertionError(e);
    }
  }

  private static Intent.Step step(String name, String... argv) {
    return new Intent.Step(name, new Intent.Step.Argv(Stream.of(argv).map(PlanDocumentTest::template).toList()),
        Map.of("KEY", template("${params.pw}")), null, null);
  }

  private static Intent.Step undoneBy(@Nullable Duration timeout, String... rollback) {
    Intent.Step step = step("apply", "bin/d.sh", "${params.a}", "${params.b}");
    return new Intent.Step(step.name(), step.action(), step.env(), timeout, step("undo", rollback).action());
  }

  /** The step of the plain subject, with limits and a form of its output. */
  private static Intent.Step within(StepLimits limits, @Nullable OutputRule output) {
    Intent.Step step = Subject.plain().steps().getFirst();
    return new Intent.Step(step.name(), step.action(), step.env(), step.timeout(), step.rollback(), limits, output,
        null);
  }

  private static OutputRule schema(String json) {
    return new OutputRule(new OutputRule.Schema(JsonReader.readOwn(json), (_, _) -> Optional.empty()), 1024);
  }

  @Test
  @DisplayName("A step shows the limits and the form of output that it declares, and nothing if it declares none")
  void bounds() {
    StepLimits all = new StepLimits(Duration.ofSeconds(5), 1L << 24, 1024L, 64, false, false);

    assertThat(Subject.plain().document().text()).doesNotContain("limits").doesNotContain("output");
    assertThat(Subject.plain().with("steps", List.of(within(all, new OutputRule(LETTERS, 1024))))
        .document().text()).contains("\"limits\":{\"cpu_seconds\":5,\"memory_bytes\":16777216,"
            + "\"file_size_bytes\":1024,\"open_files\":64,\"network\":false,\"escalate\":false}",
            "\"output\":{\"lines\":\"[a-z]+\",\"max_bytes\":1024}");
    assertThat(
        Subject.plain().with("steps", List.of(within(StepLimits.NONE, new OutputRule(new OutputRule.Json(), 1024))))
            .document().text())
        .contains("\"output\":{\"json\":true,\"max_bytes\":1024}");
    assertThat(Subject.plain().with("steps", List.of(within(StepLimits.NONE, schema("{\"type\":\"array\"}"))))
        .document().text()).contains("\"output\":{\"schema\":{\"type\":\"array\"},\"max_bytes\":1024}");
  }

  @Test
  @DisplayName("It shows where secrets of the host come from, and nothing if there are none")
  void sources() {
    Map<String, SecretSource> sources = new LinkedHashMap<>();
    sources.put("PASSWORD", new SecretSource.FromFile("/etc/tower/password"));
    sources.put("KEY", new SecretSource.FromEnv("DEPLOY_KEY"));

    assertThat(Subject.plain().document().text()).doesNotContain("secret_sources");
    assertThat(Subject.plain().with("sources", sources).document().text()).contains("\"secrets\":{\"pw\":\"hmac:",
        ",\"secret_sources\":{\"PASSWORD\":{\"file\":\"/etc/tower/password\"},\"KEY\":{\"env\":\"DEPLOY_KEY\"}},");
  }

  @Test
  @DisplayName("A step shows whether it may be repeated, and how often it is tried; a step that may not shows nothing")
  void repetition() {
    Intent.Step step = Subject.plain().steps().getFirst();

    assertThat(Subject.plain().document().text()).doesNotContain("repeatable").doesNotContain("retry");
    assertThat(Stream.of(Repetition.ONCE, new Repetition(3, Duration.ofSeconds(5), 2)).map(it -> Subject.plain()
        .with("steps", List.of(new Intent.Step(step.name(), step.action(), step.env(), step.timeout(), step.rollback(),
            step.limits(), step.output(), it)))
        .document().text()).toList()).satisfiesExactly(
            text -> assertThat(text).contains("\"repeatable\":true}"),
            text -> assertThat(text).contains("\"repeatable\":true,\"retry\":{\"times\":3,\"delay_seconds\":5,"
                + "\"factor\":2}}"));
  }

  static Stream<Arguments> changes() {
    Intent.Timeouts timeouts = Subject.plain().timeouts();
    Controls controls = Subject.plain().controls();
    return Stream.of(
        change("intent", "intent", "destroy"),
        change("version", "version", "1.2.1"),
        change("mode", "mode", Intent.Mode.RECONCILE),
        change("lock", "timeouts", new Intent.Timeouts(new Ttl(60), timeouts.step(), timeouts.run())),
        change("timeouts", "timeouts", new Intent.Timeouts(timeouts.lockTtl(), timeouts.step(), Duration.ofHours(2))),
        change("lock", "controls",
            Subject.controls("${params.b}-prod", controls.onLockLost(), List.of("beads:/srv/a"))),
        change("controls", "controls", Subject.controls("${params.a}-prod", Controls.OnLockLost.CONTINUE,
            List.of("beads:/srv/a"))),
        change("controls", "controls", new Controls(controls.lock(), Controls.Heartbeat.PROGRESS,
            controls.onLockLost(), controls.onStale(), controls.onInterrupted(), controls.respect(), List.of())),
        change("controls", "controls", new Controls(controls.lock(), controls.heartbeat(), controls.onLockLost(),
            Controls.OnStale.TAKE, controls.onInterrupted(), controls.respect(), List.of())),
        change("controls", "controls", new Controls(controls.lock(), controls.heartbeat(), controls.onLockLost(),
            controls.onStale(), Controls.OnInterrupted.RELEASE, controls.respect(), List.of())),
        change("foreign_locks", "controls", Subject.controls("${params.a}-prod", controls.onLockLost(),
            List.of("beads:/srv/b"))),
        change("foreign_locks", "controls", new Controls(controls.lock(), controls.heartbeat(), controls.onLockLost(),
            controls.onStale(), controls.onInterrupted(), List.of(), controls.respect())),
        change("labels", "labels", List.of("arm")),
        change("digest", "files", Map.of("bin/d.sh", "rm -rf /srv/x")),
        change("steps", "steps", List.of(step("apply", "bin/d.sh", "${params.a}"))),
        change("steps", "steps", List.of(undoneBy(null, "bin/u.sh"))),
        change("steps", "steps", List.of(undoneBy(Duration.ofSeconds(5), "bin/u.sh"))),
        change("steps", "steps",
            List.of(within(new StepLimits(Duration.ofSeconds(5), null, null, null, true, true), null))),
        change("steps", "steps", List.of(within(new StepLimits(null, null, null, null, false, true), null))),
        change("steps", "steps", List.of(within(new StepLimits(null, null, null, null, true, false), null))),
        change("steps", "steps", List.of(within(StepLimits.NONE, new OutputRule(new OutputRule.Json(), 1024)))),
        change("steps", "steps", List.of(within(StepLimits.NONE, schema("{\"type\":\"array\"}")))),
        change("rollback", "rollback", List.of()),
        change("force_lock", "force", true),
        change("params.a", "params", Map.of("a", "z", "b", "y", "pw", "hush")),
        change("params.b", "params", Map.of("a", "x", "pw", "hush")),
        change("secrets.pw", "params", Map.of("a", "x", "b", "y", "pw", "hushed")),
        change("secrets.pw", "key", OTHER_KEY),
        change("secret_sources", "sources", Map.of("KEY", new SecretSource.FromFile("key"))));
  }

  private static Arguments change(String changed, String member, Object value) {
    return Arguments.of(changed, member, value);
  }

  @ParameterizedTest(name = "{0}: {2}")
  @MethodSource("changes")
  @DisplayName("Each change of what a run would do changes the hash, and is named")
  void changed(String changed, String member, Object value) {
    PlanDocument before = Subject.plain().document();
    PlanDocument after = Subject.plain().with(member, value).document();

    assertThat(after.hash()).isNotEqualTo(before.hash());
    assertThat(before.changes(after)).contains(changed);
    assertThat(after.changes(before)).isEqualTo(before.changes(after));
  }

  @Test
  @DisplayName("The same request has the same document and hash, and the hash is that of its canonical form")
  void same() throws NoSuchAlgorithmException {
    PlanDocument one = Subject.plain().document();
    PlanDocument other = Subject.plain().document();

    assertThat(one.changes(other)).isEmpty();
    assertThat(PlanDocument.parse(one.text()).hash()).isEqualTo(one.hash()).isEqualTo(other.hash());
    byte[] signed = ("tower-plan/v2\n" + CanonicalJson.of(one.json())).getBytes(StandardCharsets.UTF_8);
    assertThat(one.hash())
        .isEqualTo("sha256:" + HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(signed)));
  }

  @Test
  @DisplayName("The document shows a secret, and a plain value that contains it, only as a digest under the key")
  void secrets() {
    PlanDocument document = Subject.plain().withParam("a", "the-hush-of-night").withParam("b", "quiet").document();

    assertThat(document.text()).doesNotContain("hush").contains("\"params\":{\"b\":\"quiet\"}",
        "\"secrets\":{\"a\":\"hmac:", "\"pw\":\"hmac:", "\"env\":{\"KEY\":\"***\"}");
    assertThat(document.changes(Subject.plain().withParam("a", "the-hush-of-dawn").withParam("b", "quiet").document()))
        .containsExactly("lock", "secrets.a", "steps");
  }

  /** Texts that could be taken for another part of a document. */
  private static final List<String> TEXTS = List.of("", "x", "y", "\n", "=", "\"", "'", "\\", "a=x", "\nb=y",
      "rollback",
      "***", "hmac:00", "{\"a\":\"x\"}", "staging", "production", "ä", "é", "e\u0301", "😀",
      "${params.a}", "null", "[]", ",", "\u2028");

  private static String text(Random random) {
    return Stream.generate(() -> TEXTS.get(random.nextInt(TEXTS.size()))).limit(1 + random.nextInt(3))
        .reduce("", String::concat);
  }

  private static Map<String, String> params(Random random) {
    Map<String, String> params = new HashMap<>();
    for (String name : List.of("a", "b", "pw")) {
      if (random.nextInt(4) > 0) {
        params.put(name, random.nextInt(4) == 0 && params.containsKey("a") ? params.get("a") : text(random));
      }
    }
    return params;
  }

  @Test
  @DisplayName("Random pairs of different requests never have the same hash")
  void pairs() {
    Random random = new Random(20261127);
    // The lock does not depend on a parameter, because most of these texts are no names.
    Subject subject = Subject.plain().with("controls",
        Subject.controls("prod", Controls.OnLockLost.STOP, List.of()));
    int pairs = 0;
    while (pairs < PAIRS) {
      Map<String, String> one = params(random);
      Map<String, String> other = params(random);
      if (one.equals(other)) {
        continue;
      }
      pairs++;
      assertThat(subject.with("params", one).document().hash()).as("%s and %s", one, other)
          .isNotEqualTo(subject.with("params", other).document().hash());
    }
  }
}
