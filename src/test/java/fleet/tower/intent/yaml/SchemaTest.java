package fleet.tower.intent.yaml;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import com.networknt.schema.InputFormat;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;

import fleet.tower.platform.yaml.Complaints;
import fleet.tower.platform.yaml.JsonNodes;
import fleet.tower.platform.yaml.Node;
import fleet.tower.platform.yaml.Node.Entry;
import fleet.tower.platform.yaml.Node.Mapping;
import fleet.tower.platform.yaml.Node.Position;
import fleet.tower.platform.yaml.Node.Scalar;
import fleet.tower.platform.yaml.Node.Sequence;
import fleet.tower.platform.yaml.NodeReader;
import fleet.tower.platform.yaml.YamlSchema;

/** Compares our schema validation with an independent validator: editors and the loader must reject the same files. */
@DisplayName("The loader and editors interpret the schema alike")
class SchemaTest {
  private static final long SEED = Long.getLong("fuzz.seed", 20260402);
  private static final int CASES = 1_500;
  private static final List<String> TEXTS = List.of("", "a", "A b", "no", "true", "False", "null", "~", "0", "-1", "7",
      "604800", "604801", "1.5", "1e-2", "100000000000000000000", "string", "mutate", "timer", "progress", "x-y", "_",
      "-a", "${params.app}", "stop", "Intent", "a".repeat(65), "a".repeat(1001), "é");
  private static final List<String> KEYS = List.of("name", "run", "script", "rollback", "type", "env", "timeout",
      "spec",
      "respect", "zebra", "Bad", "1x", "default", "params", "heartbeat", "schedule");

  private final YamlSchema ours = IntentFiles.schema();
  private final com.networknt.schema.Schema reference = referenceSchema();

  private static com.networknt.schema.Schema referenceSchema() {
    try {
      return SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
          .getSchema(Files.readString(SampleIntentsTest.SAMPLES.resolveSibling("config").resolve("intent.schema.json")),
              InputFormat.JSON);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static Node read(String text) {
    return NodeReader.read(text, IntentFiles.KIND, new Complaints("x.yaml")).orElseThrow();
  }

  private void agree(Node node) {
    String json = JsonNodes.write(node);
    List<YamlSchema.Violation> violations = ours.violations(node);
    assertThat(reference.validate(json, InputFormat.JSON).isEmpty()).as("%s\n%s", json, violations)
        .isEqualTo(violations.isEmpty());
  }

  @Test
  @DisplayName("The samples and 1,500 variants of them get the same verdict")
  void sameVerdicts() throws IOException {
    int good = 0;
    List<Node> samples = new ArrayList<>();
    for (String name : List.of("deploy-app", "tidy-demo", "rotate-key", "greet", "slow-import", "move-traffic")) {
      Path file = SampleIntentsTest.SAMPLES.resolve(name + ".yaml");
      samples.add(read(Files.readString(file)));
      agree(samples.getLast());
    }
    samples.add(read(IntentMistakesTest.GOOD + "      output: { schema: { type: [object, \"null\"], required: [a], "
        + "properties: { a: { enum: [x], minLength: 1 } }, additionalProperties: { items: { minimum: 0.5 } } } }\n"));
    agree(samples.getLast());
    for (int i = 0; i < CASES; i++) {
      Random random = new Random(SEED + i);
      Node changed = changed(samples.get(i % samples.size()), random, 4);
      agree(changed);
      good += ours.violations(changed).isEmpty() ? 1 : 0;
    }
    assertThat(good).isBetween(CASES / 20, CASES * 19 / 20);
  }

  @Test
  @DisplayName("Stricter than the schema in one point: an integer must be written as one")
  void stricter() {
    String text = IntentMistakesTest.GOOD.replace("lock_ttl: 60", "lock_ttl: 60.0");
    assertThat(ours.violations(read(text))).singleElement()
        .isEqualTo(new YamlSchema.Violation(new Position(15, 25),
            "must be a whole number of seconds, such as 600, without quotes, not '60.0'"));
  }

  /** A tree with one node changed; {@code depth} makes deep nodes as likely as others. */
  private static Node changed(Node node, Random random, int depth) {
    boolean here = random.nextInt(depth + 2) == 0;
    return switch (node) {
      case Mapping mapping when !here && !mapping.entries().isEmpty() -> {
        List<Entry> entries = new ArrayList<>(mapping.entries());
        int at = random.nextInt(entries.size());
        entries.set(at, new Entry(entries.get(at).key(), changed(entries.get(at).value(), random, depth - 1)));
        yield new Mapping(entries, mapping.position());
      }
      case Sequence sequence when !here && !sequence.items().isEmpty() -> {
        List<Node> items = new ArrayList<>(sequence.items());
        int at = random.nextInt(items.size());
        items.set(at, changed(items.get(at), random, depth - 1));
        yield new Sequence(items, sequence.position());
      }
      case Mapping mapping when random.nextInt(3) > 0 -> otherKeys(mapping, random);
      default -> anything(random);
    };
  }

  private static Mapping otherKeys(Mapping mapping, Random random) {
    List<Entry> entries = new ArrayList<>(mapping.entries());
    String key = KEYS.get(random.nextInt(KEYS.size()));
    if (random.nextBoolean() && !entries.isEmpty()) {
      entries.remove(random.nextInt(entries.size()));
    } else if (mapping.entry(key).isEmpty()) {
      entries.add(new Entry(new Scalar(key, true, Position.START, List.of()), anything(random)));
    }
    return new Mapping(entries, mapping.position());
  }

  private static Node anything(Random random) {
    Scalar scalar = new Scalar(TEXTS.get(random.nextInt(TEXTS.size())), random.nextInt(3) > 0, Position.START,
        List.of());
    return switch (random.nextInt(6)) {
      case 0 -> new Sequence(List.of(), Position.START);
      case 1 -> new Sequence(List.of(scalar), Position.START);
      case 2 ->
        new Mapping(List.of(new Entry(new Scalar("a", true, Position.START, List.of()), scalar)), Position.START);
      default -> scalar;
    };
  }
}
