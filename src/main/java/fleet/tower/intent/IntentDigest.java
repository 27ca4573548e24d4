package fleet.tower.intent;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collection;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import fleet.tower.approval.ApprovalRule;
import fleet.tower.approval.ApprovalTerms;
import fleet.tower.platform.json.JsonObject;

/**
 * The SHA-256 of what an intent declares, in hexadecimal digits. Comments, layout, the order of keys and explicit
 * default values do not change it.
 *
 * <p>Hosts of neighbouring releases compare digests. So the text that is hashed never changes for a declaration that an
 * earlier release can read: a new key adds a part only where it is used.
 */
final class IntentDigest {
  private final StringBuilder text = new StringBuilder();

  private IntentDigest() {}

  /** The digest of a declaration. */
  static String of(Intent intent) {
    IntentDigest digest = new IntentDigest();
    digest.metadata(intent);
    intent.params().stream().sorted(Comparator.comparing(Parameter::name)).forEach(digest::param);
    digest.controls(intent.controls());
    digest.put("timeouts.lock_ttl", intent.timeouts().lockTtl().seconds());
    digest.put("timeouts.step", intent.timeouts().step().toSeconds());
    digest.put("timeouts.run", intent.timeouts().run().toSeconds());
    intent.procedure().steps().forEach(step -> digest.step("step", step));
    intent.procedure().rollback().forEach(step -> digest.step("rollback", step));
    Probe probe = intent.probe();
    if (probe != null) {
      digest.step("probe", probe.look());
      digest.putIfAny("desired", probe.desired() == null ? null : probe.desired().source());
    }
    if (intent.procedure().effect() != Effect.UNKNOWN) {
      digest.put("effect", intent.procedure().effect());
    }
    new TreeMap<>(intent.procedure().secrets())
        .forEach((name, source) -> digest.put("secret " + name, source.kind() + " " + source.place()));
    if (intent.schedule() != null) {
      digest.put("schedule", intent.schedule().text());
    }
    digest.all("runs_on", intent.runsOn().stream().sorted().toList());
    if (intent.approve() != null) {
      digest.approve(intent.approve());
    }
    return digest.end();
  }

  /** The digest of a declaration and of the files that its steps execute. */
  static String of(String declaration, Map<String, String> files) {
    IntentDigest digest = new IntentDigest();
    digest.put("declaration", declaration);
    new TreeMap<>(files).forEach((name, content) -> digest.put("file " + name, content));
    return digest.end();
  }

  private void metadata(Intent intent) {
    put("name", intent.name());
    put("version", intent.version());
    put("description", intent.metadata().description());
    put("mode", intent.mode());
  }

  private void param(Parameter param) {
    Parameter.Limits limits = param.limits();
    put("param", param.name());
    put("type", param.type());
    put("required", param.required());
    putIfAny("default", param.defaultValue());
    put("secret", param.secret());
    put("description", param.description());
    putIfAny("pattern", limits.pattern() == null ? null : limits.pattern().pattern());
    all("enum", limits.allowed());
    putIfAny("minimum", plain(limits.minimum()));
    putIfAny("maximum", plain(limits.maximum()));
  }

  private static @Nullable String plain(@Nullable BigDecimal number) {
    return number == null ? null : number.stripTrailingZeros().toPlainString();
  }

  private void approve(ApprovalRule rule) {
    ApprovalTerms terms = rule.terms();
    put("approve.n", terms.need());
    terms.from().forEach(patterns -> all("approve.from", patterns.stream().sorted().toList()));
    put("approve.within", terms.within().toSeconds());
    put("approve.valid", terms.valid().toSeconds());
    new TreeMap<>(rule.when())
        .forEach((param, values) -> all("approve.when " + param, values.stream().sorted().toList()));
  }

  private void controls(Controls controls) {
    putIfAny("lock", controls.lock() == null ? null : controls.lock().source());
    put("heartbeat", controls.heartbeat());
    put("on_lock_lost", controls.onLockLost());
    put("on_stale", controls.onStale());
    put("on_interrupted", controls.onInterrupted());
    all("respect", controls.respect().stream().map(Template::source).toList());
    all("exclusive", controls.exclusive().stream().map(Template::source).toList());
  }

  private void step(String kind, Intent.Step step) {
    put(kind, step.name());
    action(step.action());
    new TreeMap<>(step.env()).forEach((name, value) -> put("env " + name, value.source()));
    if (step.timeout() != null) {
      put("timeout", step.timeout().toSeconds());
    }
    if (step.rollback() != null) {
      put("undone", "by");
      action(step.rollback());
    }
    step.limits().declared().forEach((name, value) -> put("limit " + name, value));
    if (step.output() != null) {
      put("output", switch (step.output().form()) {
        case OutputRule.Lines(Pattern pattern) -> "lines " + pattern;
        case OutputRule.Json() -> "json";
        case OutputRule.Schema(JsonObject json, _) -> "schema " + json.raw();
      });
      put("output.max", step.output().maxBytes());
    }
    Repetition repetition = step.repetition();
    if (repetition != null) {
      put("repeatable", repetition.times() == 0
          ? ""
          : repetition.times() + " " + repetition.delay().toSeconds() + " " + repetition.factor());
    }
  }

  private void action(Intent.Step.Action action) {
    switch (action) {
      case Intent.Step.Argv(List<Template> words) -> all("run", words.stream().map(Template::source).toList());
      case Intent.Step.Script(String script) -> put("script", script);
    }
  }

  private void all(String key, Collection<String> values) {
    values.forEach(value -> put(key, value));
  }

  private void putIfAny(String key, @Nullable String value) {
    if (value != null) {
      put(key, value);
    }
  }

  /** Adds a part with its length, so that different lists of parts give different texts. */
  private void put(String key, Object value) {
    String written = value.toString();
    text.append(key).append('=').append(written.length()).append(':').append(written).append('\n');
  }

  private String end() {
    try {
      return HexFormat.of()
          .formatHex(MessageDigest.getInstance("SHA-256").digest(text.toString().getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
