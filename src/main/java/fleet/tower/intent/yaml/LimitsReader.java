package fleet.tower.intent.yaml;

import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import fleet.tower.intent.OutputRule;
import fleet.tower.intent.Repetition;
import fleet.tower.intent.StepLimits;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.time.TimeSpans;
import fleet.tower.platform.yaml.Complaints;
import fleet.tower.platform.yaml.JsonNodes;
import fleet.tower.platform.yaml.Node;
import fleet.tower.platform.yaml.Node.Scalar;
import fleet.tower.platform.yaml.YamlSchema;

/**
 * Parses the limits of steps, the form of their output, and how often they are tried. What the schema has reported is
 * omitted.
 */
final class LimitsReader {
  private static final Pattern SPAN = Pattern.compile("[1-9][0-9]{0,5}[smh]");
  private static final Pattern DELAY = Pattern.compile("[0-9]{1,6}[smh]");
  private static final Pattern SIZE = Pattern.compile("([1-9][0-9]{0,5})([KMGT])B");
  private static final Pattern NUMBER = Pattern.compile("[1-9][0-9]{0,6}");
  /** With less, no shell and no interpreter starts. */
  private static final long LEAST_MEMORY = 16 << 20;

  private final Complaints complaints;

  LimitsReader(Complaints complaints) {
    this.complaints = complaints;
  }

  /** The block {@code limits}; for each key that it does not have, the other limits count. */
  StepLimits limits(Node parent, StepLimits otherwise) {
    return parent.node("limits").map(limits -> read(limits, otherwise)).orElse(otherwise);
  }

  private StepLimits read(Node limits, StepLimits otherwise) {
    Optional<Long> memory = limits.scalar("memory").flatMap(LimitsReader::bytes);
    memory.filter(it -> it < LEAST_MEMORY).ifPresent(_ -> complaints.error(limits.scalar("memory").orElseThrow()
        .position(), "is too little for most programs to start; give at least " + (LEAST_MEMORY >> 20) + "MB"));
    return new StepLimits(
        matching(limits, "cpu", SPAN).flatMap(it -> TimeSpans.parse(it.text()))
            .or(() -> Optional.ofNullable(otherwise.cpu())).orElse(null),
        memory.or(() -> Optional.ofNullable(otherwise.memory())).orElse(null),
        limits.scalar("file_size").flatMap(LimitsReader::bytes).or(() -> Optional.ofNullable(otherwise.fileSize()))
            .orElse(null),
        number(limits, "open_files").or(() -> Optional.ofNullable(otherwise.openFiles())).orElse(null),
        flag(limits, "network", otherwise.network()), flag(limits, "escalate", otherwise.escalate()));
  }

  /** The block {@code output}. */
  Optional<OutputRule> output(Node step) {
    return step.node("output").map(output -> {
      output.scalar("json").filter(_ -> !flag(output, "json", true)).ifPresent(it -> complaints.error(it.position(),
          "checks nothing; write json: true, or remove output"));
      int max = output.scalar("max").flatMap(it -> bytes(it).map(bytes -> {
        if (bytes > OutputRule.MOST_BYTES) {
          complaints.error(it.position(), "is more than is checked; give at most " + (OutputRule.MOST_BYTES >> 20)
              + "MB, and write longer output to a file");
        }
        return (int) Math.min(bytes, OutputRule.MOST_BYTES);
      })).orElse(OutputRule.DEFAULT_MAX_BYTES);
      return new OutputRule(form(output), max);
    });
  }

  private OutputRule.Form form(Node output) {
    return output.scalar("lines")
        .map(it -> ParameterReader.compile(it, complaints)).<OutputRule.Form>map(OutputRule.Lines::new)
        .or(() -> output.node("schema").filter(Node.Mapping.class::isInstance).map(LimitsReader::schema))
        .orElseGet(OutputRule.Json::new);
  }

  private static OutputRule.Schema schema(Node schema) {
    JsonObject json = JsonReader.readOwn(JsonNodes.write(schema));
    YamlSchema validator = YamlSchema.ofJson(json);
    return new OutputRule.Schema(json, (text, document) -> validator.violation(text, document)
        .map(it -> "line " + it.position().line() + ", column " + it.position().column() + ": " + it.message()));
  }

  /** The keys {@code repeatable} and {@code retry}; empty for a step that must not be performed again. */
  Optional<Repetition> repetition(Node step) {
    Optional<Node> retry = step.node("retry");
    boolean isRepeatable = flag(step, "repeatable", false);
    retry.filter(_ -> !isRepeatable).ifPresent(it -> complaints.error(it.position(),
        "performs the step again after it has failed; write repeatable: true if it may be, or remove retry"));
    return isRepeatable ? Optional.of(retry.map(this::tries).orElse(Repetition.ONCE)) : Optional.empty();
  }

  private Repetition tries(Node retry) {
    Duration delay = matching(retry, "delay", DELAY).flatMap(it -> TimeSpans.parse(it.text()).map(span -> {
      if (span.compareTo(Repetition.LONGEST_DELAY) > 0) {
        complaints.error(it.position(), "is longer than a run waits; give at most 1h");
      }
      return span;
    })).orElse(Repetition.DEFAULT_DELAY);
    return new Repetition(number(retry, "times").orElse(0), delay,
        number(retry, "factor").orElse(Repetition.DEFAULT_FACTOR));
  }

  private static Optional<Integer> number(Node node, String key) {
    return matching(node, key, NUMBER).map(it -> Integer.valueOf(it.text()));
  }

  private static boolean flag(Node node, String key, boolean otherwise) {
    return node.scalar(key).isEmpty() ? otherwise : ParameterReader.isTrue(node, key);
  }

  private static Optional<Scalar> matching(Node node, String key, Pattern form) {
    return node.scalar(key).filter(it -> form.matcher(it.text()).matches());
  }

  private static Optional<Long> bytes(Scalar scalar) {
    Matcher size = SIZE.matcher(scalar.text());
    return size.matches()
        ? Optional.of(Long.parseLong(size.group(1)) << (10 * ("KMGT".indexOf(size.group(2)) + 1)))
        : Optional.empty();
  }
}
