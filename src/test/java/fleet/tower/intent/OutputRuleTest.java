package fleet.tower.intent;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("The output of a step has the form that its intent declares")
class OutputRuleTest {
  private static final OutputRule JSON = new OutputRule(new OutputRule.Json(), 64);

  private static String problem(OutputRule rule, String output) {
    return rule.problem(output.getBytes(StandardCharsets.UTF_8)).orElse("");
  }

  private static OutputRule lines(String pattern) {
    return new OutputRule(new OutputRule.Lines(Pattern.compile(pattern)), 1000);
  }

  @ParameterizedTest
  @ValueSource(strings = {"{\"a\": [1, null]}", " 1 \n", "\"x\"", "[]"})
  @DisplayName("One JSON document is good, with white space around it")
  void json(String output) {
    assertThat(problem(JSON, output)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      [1,]                | not a value
      1 2                 | text after the end of the value
      {"a": 1, "a": 2}    | duplicate key "a"
      {'a': 1}            | a key must be a string
      NaN                 | not a value
      """)
  @DisplayName("Anything else is not, with the reason and the place")
  void notJson(String output, String reason) {
    assertThat(problem(JSON, output)).startsWith("its output is not one JSON document: " + reason)
        .contains("(at character ");
  }

  @Test
  @DisplayName("Each line must match as a whole; the first one that does not is named, cut, with nothing hidden in it")
  void lineByLine() {
    assertThat(problem(lines("[a-z]+"), "one\ntwo\r\nthree")).isEmpty();
    assertThat(problem(lines("[a-z]+"), "")).isEmpty();
    assertThat(problem(lines("[a-z]+"), "one\ntwo 2\nthree 3"))
        .isEqualTo("line 2 of its output does not match [a-z]+: 'two 2'");
    assertThat(problem(lines("[a-z]+"), "one\n\ntwo")).isEqualTo("line 2 of its output does not match [a-z]+: ''");
    assertThat(problem(lines("a"), "\u001b[1m" + "x".repeat(200)))
        .isEqualTo("line 1 of its output does not match a: '\\u{1b}[1m" + "x".repeat(76) + "…'");
  }

  @Test
  @DisplayName("Longer output, and bytes that are no UTF-8, have no form")
  void bytes() {
    assertThat(problem(JSON, " ".repeat(64) + "1")).isEqualTo("its output is longer than 64 bytes");
    assertThat(problem(JSON, "")).isEqualTo("its output is not one JSON document: empty");
    assertThat(JSON.problem(new byte[]{'"', (byte) 0xff, '"'})).contains("its output is not valid UTF-8");
    assertThat(lines(".*").problem(new byte[]{(byte) 0xff})).contains("its output is not valid UTF-8");
  }

  @Test
  @DisplayName("A pattern that backtracks for centuries is given up")
  void backtracks() {
    assertThat(problem(lines("(?:.*a){12}b"), "a".repeat(60)))
        .isEqualTo("line 1 of its output takes too long to match against (?:.*a){12}b; simplify the pattern");
  }
}
