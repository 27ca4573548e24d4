package fleet.tower.cli.overview;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("Examples of values and short ids")
class PatternExampleTest {

  @ParameterizedTest
  @CsvSource(quoteCharacter = '`', delimiter = ';', value = {
      "^(?:[a-z0-9-]+)$ ; web", "[a-z]+_name ; app_name", "v\\d+\\.\\d+\\.\\d+ ; v1.2.0",
      "[A-Z]{2}-\\d{3,5} ; AA-000", "(?:blue|green)-(one|two)+x? ; blue-one", "[^a-z]/[\\]x]\\w*? ; 0/x",
      "a.{2}\\$ ; aaa$", "\\d{4}-\\d\\d-\\d\\d ; 2026-01-31", "JIRA-[1-9]\\d* ; JIRA-1"})
  @DisplayName("An example is plausible if a plausible text fits; otherwise it is built from the expression")
  void fits(String pattern, String example) {
    assertThat(new PatternExample(pattern, "app_name").text()).contains(example);
  }

  @ParameterizedTest
  @ValueSource(strings = {"(?=zz)[a-z]{9}q", "(", "[z", "(a)\\1{3}b"})
  @DisplayName("An expression that is not understood gives no example, never one that does not fit")
  void notUnderstood(String pattern) {
    assertThat(new PatternExample(pattern, "app").text()).isEmpty();
  }

  @Test
  @DisplayName("Generated ids are shortened as long as all ids in the table remain distinct; others are shown whole")
  void shortened() {
    String one = "req_0123456789abcdef01234567";
    String other = "req_0123456789ffcdef01234567";

    assertThat(RunIds.shortened(List.of(one, "own-id"))).containsExactly("req_01234567", "own-id");
    assertThat(RunIds.shortened(List.of(one, other, one)))
        .containsExactly("req_0123456789a", "req_0123456789f", "req_0123456789a");
    assertThat(RunIds.shortened(List.of("req_01234567", one))).containsExactly("req_01234567", "req_012345678");
    assertThat(RunIds.shortened(List.of())).isEmpty();
  }
}
