package fleet.tower.intent.yaml;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import fleet.tower.intent.Intent;
import fleet.tower.intent.Parameter;
import fleet.tower.lease.Ttl;
import fleet.tower.platform.yaml.Complaints;

@DisplayName("Parameters are declared consistently and read as written")
class ParameterMistakesTest {
  private static final String HEAD = """
      apiVersion: tower-fleet/intent/v1
      kind: Intent
      metadata: { name: x, version: 1.10 }
      spec:
        mode: observe
        steps: [{ name: s, run: [echo] }]
        timeouts: { lock_ttl: 1800, step: 7 }
        params:
          p: \
      """;

  private final Complaints complaints = new Complaints("x.yaml");

  static Stream<Arguments> mistakes() {
    return Stream.of(
        Arguments.of("{ type: int }", "16: must be one of string, integer, number, boolean (did you mean integer?), "
            + "not 'int'"),
        Arguments.of("{ type: integer, default: abc }",
            "34: the default must be an integer, written like 42, not 'abc'"),
        Arguments.of("{ type: integer, default: 010 }",
            "34: the default must be an integer, written like 42, not '010'"),
        Arguments.of("{ type: integer, default: 1.0 }",
            "34: the default must be an integer, written like 42, not '1.0'"),
        Arguments.of("{ type: integer, minimum: 5, default: 1 }", "46: the default must be at least 5, not '1'"),
        Arguments.of("{ type: integer, minimum: 5, maximum: 1 }", "46: the maximum 1 is less than the minimum 5"),
        Arguments.of("{ type: string, minimum: 5 }",
            "33: minimum applies to numbers only; this parameter has type string"),
        Arguments.of("{ type: number, minimum: \"5\" }", "33: must be a number without quotes, not '5'"),
        Arguments.of("{ type: integer, pattern: \"[0-9]+\" }",
            "34: pattern applies to strings only; this parameter has type integer"),
        Arguments.of("{ type: string, pattern: \"[a-z\" }",
            "33: is not a valid regular expression: Unclosed character class, at character 4"),
        Arguments.of("{ type: string, pattern: b, default: abc }", "45: the default must match b, not 'abc'"),
        Arguments.of("{ type: string, enum: [a, b], default: c }", "47: the default must be one of a, b, not 'c'"),
        Arguments.of("{ type: string, enum: [a, b, a] }", "37: duplicate value 'a'"),
        Arguments.of("{ type: string, enum: [] }", "30: is an empty list; give at least one item"),
        Arguments.of("{ type: integer, enum: [1, x] }",
            "35: a value of this parameter must be an integer, written like 42, not 'x'"),
        Arguments.of("{ type: string, required: true, default: x }",
            "49: a required parameter cannot have a default; remove one of the two"),
        Arguments.of("{ type: string, required: yes }", "34: must be true or false, not 'yes'"),
        Arguments.of("{ type: boolean, default: yes }",
            "34: the default must be a boolean, written true or false, not 'yes'"),
        Arguments.of("{ type: string, default: }",
            "32: is null; write \"\" for an empty string, and quote a word such as null"),
        Arguments.of("{ type: string, secret: true, default: abcdef }",
            "47: a secret parameter cannot have a default: everyone who can read this file could read it"),
        Arguments.of("{ type: string, fallback: x }", "24: unknown key 'fallback'; known keys are type, required, "
            + "default, enum, pattern, minimum, maximum, secret, description"),
        Arguments.of("string", "8: must be a mapping of keys to values, one key per line, not 'string'"),
        Arguments.of("{ }", "8: is missing type"));
  }

  @ParameterizedTest
  @MethodSource("mistakes")
  @DisplayName("A contradictory declaration is rejected with its position")
  void refused(String declaration, String expected) {
    assertThat(IntentReader.read(HEAD + declaration + "\n", "x", IntentFiles.schema(), complaints)).isEmpty();
    assertThat(complaints.all())
        .extracting(it -> it.position().line() + ":" + it.position().column() + ": " + it.message())
        .containsExactly("9:" + expected);
  }

  static Stream<Arguments> written() {
    return Stream.of(Arguments.of("string, default: no", "no"), Arguments.of("string, default: 1.10", "1.10"),
        Arguments.of("string, default: 0123", "0123"), Arguments.of("string, default: 010", "010"),
        Arguments.of("string, default: \"\"", ""), Arguments.of("string, default: 2026-01-01", "2026-01-01"),
        Arguments.of("string, default: 0x1F", "0x1F"), Arguments.of("string, default: 1_000", "1_000"),
        Arguments.of("string, default: \"null\"", "null"), Arguments.of("string, default: TRUE", "TRUE"),
        Arguments.of("string, default: 12:30:45", "12:30:45"), Arguments.of("boolean, default: true", "true"),
        Arguments.of("string, enum: [1.10, 010, on], default: 1.10", "1.10"),
        Arguments.of("number, default: 1e5, minimum: 1.5", "1e5"), Arguments.of("integer, default: -7", "-7"),
        Arguments.of("string, default: \"${params.p}\"", "${params.p}"));
  }

  @ParameterizedTest
  @MethodSource("written")
  @DisplayName("A value is the text as written, never a YAML conversion of it")
  void asWritten(String type, String value) {
    Intent intent = IntentReader.read(HEAD + "{ type: " + type + " }\n", "x", IntentFiles.schema(), complaints)
        .orElseThrow(() -> new AssertionError(complaints.all()));

    assertThat(intent.params()).extracting(Parameter::defaultValue).containsExactly(value);
    assertThat(intent.version()).isEqualTo("1.10");
  }

  @Test
  @DisplayName("TF-3.2 TF-3.3 the ttl of the lock is the intent's, 900 s by default")
  void lockTtl() {
    assertThat(read(HEAD).timeouts().lockTtl()).isEqualTo(new Ttl(1800));
    assertThat(read(HEAD).timeouts().step()).hasSeconds(7);
    assertThat(read(HEAD.replace("lock_ttl: 1800, ", "")).timeouts().lockTtl()).isEqualTo(new Ttl(900));
    assertThat(complaints.all()).isEqualTo(List.of());
  }

  private Intent read(String head) {
    return IntentReader.read(head + "{ type: string }\n", "x", IntentFiles.schema(), complaints).orElseThrow();
  }
}
