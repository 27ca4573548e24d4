package fleet.tower.intent.yaml;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import com.networknt.schema.InputFormat;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;

import fleet.tower.intent.Intent;
import fleet.tower.intent.OutputRule;
import fleet.tower.platform.yaml.Complaints;

@DisplayName("The output of a step is one JSON document that the schema of its intent accepts")
class OutputSchemaTest {

  private static OutputRule rule(String schema) {
    Complaints complaints = new Complaints("x.yaml");
    Intent intent = IntentReader.read("""
        apiVersion: tower-fleet/intent/v1
        kind: Intent
        metadata: { name: x, version: 1.0.0 }
        spec:
          mode: observe
          steps:
            - name: one
              run: [list]
              output:
                max: 1MB
                schema: %s
        """.formatted(schema), "x", IntentFiles.schema(), complaints)
        .orElseThrow(() -> new AssertionError(complaints.all()));
    OutputRule rule = intent.procedure().steps().getFirst().output();
    if (rule == null) {
      throw new AssertionError("no rule");
    }
    return rule;
  }

  private static String problem(OutputRule rule, String output) {
    return rule.problem(output.getBytes(StandardCharsets.UTF_8)).orElse("");
  }

  /** The verdict of an independent validator. */
  private static boolean isAccepted(OutputRule rule, String document) {
    String schema = rule.form() instanceof OutputRule.Schema it ? it.json().raw() : "";
    return SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12).getSchema(schema, InputFormat.JSON)
        .validate(document, InputFormat.JSON).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
      {}                                            | [1, "a", null, {}]    |
      { type: object }                              | {}                    |
      { type: object }                              | [1]                   | 1:1: must be object
      { type: [string, "null"] }                    | null                  |
      { type: [string, "null"] }                    | 12                    | 1:1: must be string or null, not 12
      { type: string }                              | null                  | 1:1: must be string, not null
      { type: integer }                             | "5"                   | 1:1: must be integer, not "5"
      { type: integer }                             | 5.5                   | 1:1: must be integer, not 5.5
      { type: number }                              | 5                     |
      { type: boolean }                             | "true"                | 1:1: must be boolean, not "true"
      { enum: [up, down] }                          | "up"                  |
      { enum: [up, down] }                          | "dwn"                 | 1:1: must be one of up, down (did you mean down?), not "dwn"
      { enum: [one] }                               | 1                     | 1:1: must be one of one, not 1
      { required: [a, b] }                          | {"b": 1}              | 1:1: is missing a
      { required: [a, b] }                          | "a"                   |
      { properties: { a: {} }, additionalProperties: false }   | {"a": 1}   |
      { properties: { a: {} }, additionalProperties: false }   | { "bcd": 1} | 1:3: unknown key 'bcd'; known keys are a
      { properties: { abc: {} }, additionalProperties: false } | {"abcd":1} | 1:2: unknown key 'abcd'; did you mean 'abc'?
      { additionalProperties: false }               | {"b": 1}              | 1:2: unknown key 'b'
      { properties: { a: {} }, additionalProperties: true }    | {"b": 1}   |
      { additionalProperties: { type: array } }     | {"b": [], "c": "x"}   | 1:16: must be array, not "x"
      { items: { items: { type: integer } } }       | [[], [1, 2], [3]]     |
      { items: { items: { type: integer } } }       | [[], [1, "é", "x"]]   | 1:10: must be integer, not "é"
      { minItems: 2, maxItems: 3 }                  | [1]                   | 1:1: has 1 items; at least 2 are needed
      { minItems: 2, maxItems: 3 }                  | [1, 2, 3, 4]          | 1:1: has 4 items; at most 3 are allowed
      { minItems: 1 }                               | []                    | 1:1: is an empty list; give at least one item
      { minLength: 2, maxLength: 3 }                | "a"                   | 1:1: has 1 characters; at least 2 are needed, not "a"
      { minLength: 2, maxLength: 3 }                | "abcd"                | 1:1: has 4 characters; at most 3 are allowed, not "abcd"
      { maxLength: 3 }                              | 12345                 |
      { minimum: 0.5, maximum: 10 }                 | 0.4                   | 1:1: must be at least 0.5, not 0.4
      { minimum: 0.5, maximum: 10 }                 | 1e2                   | 1:1: must be at most 10, not 1e2
      { minimum: 0.5, maximum: 10 }                 | "x"                   |
      { maxProperties: 1 }                          | {"a": 1, "b": 2}      | 1:1: has 2 keys; at most 1 are allowed
      { properties: { $ref: { type: string } } }    | {"$ref": 1}           | 1:10: must be string, not 1
      """)
  @DisplayName("Each rule accepts what an independent validator accepts; the first violation is named with its place")
  void rules(String schema, String document, String expected) {
    OutputRule rule = rule(schema);
    String problem = problem(rule, document);

    assertThat(problem).isEqualTo(expected == null
        ? ""
        : "its output does not match its schema at "
            + expected.replaceFirst("(\\d+):(\\d+):", "line $1, column $2:"));
    assertThat(isAccepted(rule, document)).isEqualTo(problem.isEmpty());
  }

  @Test
  @DisplayName("A problem in a long document is reported with its line and column; what is shown of it is short, with nothing hidden")
  void places() {
    OutputRule rule = rule("{ items: { properties: { id: { maxLength: 3 } }, additionalProperties: false } }");

    assertThat(
        problem(rule, "[\n  {\"id\": \"a\\n\"},\r\n\n  { \"id\" : \"\\u001b\\ud83d\\ude00\",\n\t\"x\\u202ey\": 1 }]"))
        .isEqualTo(
            "its output does not match its schema at line 5, column 2: unknown key 'x\\u{202e}y'; known keys are id");
    assertThat(problem(rule, "[{\"id\": \"" + "\\u001b".repeat(50) + "\"}]"))
        .isEqualTo(
            "its output does not match its schema at line 1, column 9: has 50 characters; at most 3 are allowed, "
                + "not \"" + "\\u{1b}".repeat(40) + "…\"");
    assertThat(problem(rule("{ required: [" + IntStream.range(0, 100).mapToObj(i -> "key" + i)
        .collect(Collectors.joining(",")) + "] }"), "{}")).hasSizeLessThan(260).endsWith("…");
  }

  @Test
  @DisplayName("What is not JSON, or too long, or has a number that nothing can check, is refused")
  void others() {
    OutputRule rule = rule("{ type: number }");

    assertThat(problem(rule, "1 2"))
        .isEqualTo("its output is not one JSON document: text after the end of the value (at character 2)");
    assertThat(problem(rule, " ".repeat(1 << 20) + "1")).isEqualTo("its output is longer than 1048576 bytes");
    assertThat(problem(rule, "1e9999"))
        .isEqualTo("its output does not match its schema at line 1, column 1: must be number, not 1e9999");
    assertThat(problem(rule, "9".repeat(1 << 20))).hasSizeLessThan(260).contains("must be number, not 99999");
  }

  @Test
  @Timeout(30)
  @DisplayName("The largest output takes little time, whatever is wrong with it")
  void bounded() {
    List<String> words = IntStream.range(0, 100).mapToObj(i -> "a".repeat(100) + i).toList();
    String names = String.join(", ", words);
    OutputRule rule = rule("{ items: { enum: [" + names + "], type: string }, properties: { "
        + String.join(": {}, ", words) + ": {} }, additionalProperties: false, required: [" + names + "] }");
    String good = "\"" + words.getLast() + "\"";

    assertThat(problem(rule, "[" + (good + ",").repeat(9_000) + good + "]")).isEmpty();
    assertThat(problem(rule, "[" + "1,".repeat(500_000) + "1]")).contains("must be one of ");
    assertThat(problem(rule, "{\"" + "a".repeat(1_000_000) + "\": 1}")).contains("unknown key");
    assertThat(problem(rule, "{" + IntStream.range(0, 60_000).mapToObj(i -> "\"k" + i + "\": 1")
        .collect(Collectors.joining(",")) + "}")).contains("unknown key 'k0'");
  }
}
