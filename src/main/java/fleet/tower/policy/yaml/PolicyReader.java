package fleet.tower.policy.yaml;

import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Collectors;

import fleet.tower.access.Role;
import fleet.tower.approval.yaml.ApprovalBlock;
import fleet.tower.intent.CronExpression;
import fleet.tower.intent.Effect;
import fleet.tower.intent.Parameter;
import fleet.tower.lock.Halt;
import fleet.tower.lock.HaltRequest;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.time.TimeSpans;
import fleet.tower.platform.yaml.Complaints;
import fleet.tower.platform.yaml.Node;
import fleet.tower.platform.yaml.NodeReader;
import fleet.tower.platform.yaml.SourceFile;
import fleet.tower.platform.yaml.YamlSchema;
import fleet.tower.policy.ContainRule;
import fleet.tower.policy.Policy;
import fleet.tower.policy.Quota;
import fleet.tower.policy.TimeRule;
import fleet.tower.policy.ValueRule;
import fleet.tower.policy.Window;

/** Parses {@code policy.yaml}. Any mistake makes the whole text invalid: half a policy could allow what it forbids. */
final class PolicyReader {
  static final SourceFile.Kind FORM = new SourceFile.Kind("policy.yaml", null, "put all rules in one document",
      "there are too many rules");

  private final Complaints complaints;
  private final Map<String, Node.Position> names = new HashMap<>();

  private PolicyReader(Complaints complaints) {
    this.complaints = complaints;
  }

  static YamlSchema schema() {
    return YamlSchema.of(PolicyReader.class, "policy.schema.json");
  }

  /** The policy of a text; empty if there is a mistake. An empty text has no rules. */
  static Optional<Policy> read(String text, YamlSchema schema, Complaints complaints) {
    Optional<Node> root = NodeReader.read(text, FORM, complaints);
    root.ifPresent(node -> schema.violations(node).forEach(it -> complaints.error(it.position(), it.message())));
    if (complaints.hasErrors()) {
      return Optional.empty();
    }
    Policy policy = root.map(new PolicyReader(complaints)::policy).orElse(Policy.NONE);
    return complaints.hasErrors() ? Optional.empty() : Optional.of(policy);
  }

  private Policy policy(Node root) {
    Policy.Mode mode = root.scalar("mode").map(it -> Policy.Mode.valueOf(it.text().toUpperCase(Locale.ROOT)))
        .orElse(Policy.Mode.ENFORCE);
    List<Policy.EffectRule> effects = new ArrayList<>();
    List<Node> words = root.items("effects");
    for (int i = 0; i < words.size(); i++) {
      effects.add(new Policy.EffectRule(name(words.get(i), "effect-" + (i + 1)), scope(words.get(i)),
          Effect.of(text(words.get(i), "effect"))));
    }
    List<Policy.ApprovalNeed> approvals = new ArrayList<>();
    List<Node> blocks = root.items("approve");
    for (int i = 0; i < blocks.size(); i++) {
      approvals.add(new Policy.ApprovalNeed(name(blocks.get(i), "approve-" + (i + 1)), scope(blocks.get(i)),
          blocks.get(i).scalar("effect").map(it -> Effect.of(it.text())).orElse(Effect.NONE),
          ApprovalBlock.read(blocks.get(i), complaints)));
    }
    List<Quota> quotas = new ArrayList<>();
    List<Node> limits = root.items("quotas");
    for (int i = 0; i < limits.size(); i++) {
      quotas.add(quota(limits.get(i), "quota-" + (i + 1)));
    }
    List<TimeRule> windows = new ArrayList<>();
    root.items("windows").forEach(item -> window(item).ifPresent(windows::add));
    List<ValueRule> values = new ArrayList<>();
    List<Node> items = root.items("values");
    for (int i = 0; i < items.size(); i++) {
      values.add(values(items.get(i), "values-" + (i + 1)));
    }
    List<ContainRule> containments = new ArrayList<>();
    List<Node> contained = root.items("contain");
    for (int i = 0; i < contained.size(); i++) {
      containments.add(containment(contained.get(i), "contain-" + (i + 1)));
    }
    return new Policy(mode, effects, approvals, quotas, windows, values, containments);
  }

  private ContainRule containment(Node item, String otherwise) {
    Node.Scalar span = item.scalar("for").orElse(null);
    Duration length = span == null ? null : span(span);
    if (span != null && length != null && length.compareTo(HaltRequest.LONGEST) > 0) {
      complaints.error(span.position(), "must be at most " + HaltRequest.LONGEST.toDays()
          + "d; without it, a halt stays until it is lifted");
    }
    return new ContainRule(name(item, otherwise), scope(item, List.of()),
        item.scalar("refusals").map(this::rate).orElseThrow(),
        item.scalar("level").map(it -> Halt.Level.of(it.text())).orElse(Halt.Level.ADMIT), length);
  }

  /** So many in a time, such as 20/1h. */
  private Quota.Rate rate(Node.Scalar written) {
    String[] parts = written.text().split("/", 2);
    return new Quota.Rate(Integer.parseInt(parts[0]), span(written, parts[parts.length - 1]));
  }

  private Duration span(Node.Scalar written) {
    return span(written, written.text());
  }

  private Duration span(Node.Scalar written, String text) {
    Duration span = TimeSpans.parse(text).orElse(Duration.ZERO);
    if (span.isZero()) {
      complaints.error(written.position(), "is no time at all");
    }
    return span;
  }

  private Quota quota(Node item, String otherwise) {
    Quota.Rate rate = item.scalar("runs").map(this::rate).orElse(null);
    Integer concurrent = item.scalar("concurrent").map(it -> Integer.valueOf(it.text())).orElse(null);
    Integer locks = item.scalar("locks").map(it -> Integer.valueOf(it.text())).orElse(null);
    if (rate == null && concurrent == null && locks == null) {
      complaints.error(item.position(), "must have runs, concurrent or locks");
    }
    return new Quota(name(item, otherwise), scope(item, List.of()), rate, concurrent, locks, isTrue(item, "together"));
  }

  private Optional<TimeRule> window(Node item) {
    String name = name(item, "");
    boolean denies = isTrue(item, "deny");
    boolean allows = isTrue(item, "allow");
    if (denies == allows) {
      complaints.error(item.position(), "must have either deny: true or allow: true");
    }
    Optional<CronExpression> cron = cron(item);
    Optional<ZoneId> zone = zone(item);
    Duration length = item.scalar("for").map(this::span).orElse(Duration.ZERO);
    return cron.isPresent() && zone.isPresent()
        ? Optional
            .of(new TimeRule(name, allows, scope(item), new Window(text(item, "cron"), cron.get(), zone.get(), length),
                text(item, "reason")))
        : Optional.empty();
  }

  private Optional<CronExpression> cron(Node item) {
    return item.scalar("cron").flatMap(it -> {
      try {
        return Optional.of(CronExpression.written(it.text()));
      } catch (IllegalArgumentException e) {
        complaints.error(it.position(), String.valueOf(e.getMessage()));
        return Optional.empty();
      }
    });
  }

  private Optional<ZoneId> zone(Node item) {
    return item.scalar("zone").flatMap(it -> {
      try {
        return Optional.of(ZoneId.of(it.text()));
      } catch (DateTimeException e) {
        complaints.error(it.position(), "is not a time zone such as Europe/Berlin or UTC");
        return Optional.empty();
      }
    });
  }

  private ValueRule values(Node item, String otherwise) {
    Map<String, Parameter.Limits> params = new LinkedHashMap<>();
    item.entries("params").forEach(entry -> params.put(entry.key().text(), limits(entry.value())));
    return new ValueRule(name(item, otherwise), scope(item), params, item.items("except").stream()
        .map(it -> Role.valueOf(text(it).toUpperCase(Locale.ROOT))).collect(Collectors.toSet()));
  }

  private Parameter.Limits limits(Node node) {
    Pattern pattern = null;
    Optional<Node.Scalar> source = node.scalar("pattern");
    try {
      pattern = source.map(it -> Pattern.compile(it.text())).orElse(null);
    } catch (PatternSyntaxException e) {
      complaints.error(source.map(Node.Scalar::position).orElse(node.position()),
          "is not a regular expression: " + e.getDescription());
    }
    return new Parameter.Limits(pattern, node.items("enum").stream().map(PolicyReader::text).toList(),
        node.scalar("minimum").map(it -> new BigDecimal(it.text())).orElse(null),
        node.scalar("maximum").map(it -> new BigDecimal(it.text())).orElse(null));
  }

  private Halt.Scope scope(Node item) {
    return scope(item, patterns(item, "locks"));
  }

  private Halt.Scope scope(Node item, List<String> locks) {
    try {
      return Halt.Scope.of(patterns(item, "actors"), patterns(item, "intents"), locks);
    } catch (InvalidValue e) {
      complaints.error(item.position(), e.problem());
      return Halt.Scope.ALL;
    }
  }

  private String name(Node item, String otherwise) {
    item.scalar("name").ifPresent(it -> {
      Node.Position first = names.putIfAbsent(it.text(), it.position());
      if (first != null) {
        complaints.error(it.position(), "another rule has this name, on line " + first.line());
      }
    });
    return item.scalar("name").map(Node.Scalar::text).orElse(otherwise);
  }

  private static List<String> patterns(Node item, String key) {
    return item.items(key).stream().map(PolicyReader::text).toList();
  }

  private static boolean isTrue(Node item, String key) {
    return Boolean.parseBoolean(text(item, key));
  }

  private static String text(Node node) {
    return node instanceof Node.Scalar scalar ? scalar.text() : "";
  }

  private static String text(Node item, String key) {
    return item.scalar(key).map(Node.Scalar::text).orElse("");
  }
}
