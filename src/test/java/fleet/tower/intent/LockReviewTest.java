package fleet.tower.intent;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.util.List;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import fleet.tower.intent.Parameter.Limits;

@DisplayName("A lock template is checked before anything runs")
class LockReviewTest {
  private static final List<Parameter> PARAMS = List.of(string("free", null), string("letters", "[a-z]+"),
      string("dashed", "[a-z-]+"), string("odd", ".*"), choice("env", "staging", "production"),
      choice("zone", "a", "a-b"), choice("tail", "c", "b-c"), choice("upper", "Prod", "test"),
      new Parameter("count", Parameter.Type.INTEGER, true, null, false,
          new Limits(null, List.of(), BigDecimal.ONE, null), ""),
      new Parameter("delta", Parameter.Type.INTEGER, true, null, false, Limits.NONE, ""),
      new Parameter("ratio", Parameter.Type.NUMBER, true, null, false, Limits.NONE, ""),
      choice("never", "A", "B.C"), choice("side", "-", "_"),
      new Parameter("flag", Parameter.Type.BOOLEAN, true, null, false, Limits.NONE, ""));

  private static Parameter string(String name, @Nullable String pattern) {
    Limits limits = pattern == null
        ? Limits.NONE
        : new Limits(Pattern.compile(pattern), List.of(), null, null);
    return new Parameter(name, Parameter.Type.STRING, true, null, false, limits, "");
  }

  private static Parameter choice(String name, String... values) {
    return new Parameter(name, Parameter.Type.STRING, true, null, false, new Limits(null, List.of(values), null, null),
        "");
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {"prod | ''", "${params.letters}-${params.env} | ''",
      "${params.free}-${params.env} | ''", "${params.free}-${params.count} | ''", "${params.free}-${params.flag} | ''",
      "${params.free}--${params.free} | ''", "${params.letters}-${params.free} | ''",
      "${params.env}${params.flag} | ''",
      "${intent.name}-${params.free} | ''", "${params.free}_${params.delta} | ''", "${params.zone}_${params.tail} | ''",
      "${params.free}-${params.free} | warn 15", "${params.dashed}-${params.odd} | warn 17",
      "${params.free}-${params.delta} | warn 15", "${params.free}-${params.ratio} | warn 15",
      "${params.free}${params.letters} | warn 14", "${params.zone}-${params.tail} | warn 15",
      "${params.free}_${request.actor} | warn 15", "${params.upper} | warn 0", "${request.id} | warn 0",
      "'' | error -1", "Prod | error -1", "-${params.env} | error -1", "${params.env}- | error -1",
      "${intent.name}_${intent.version} | error -1", "v${intent.version} | error -1",
      "x-${params.never} | warn 2, error -1", "${params.side}-x | error -1", "a/${params.env} | error -1",
      "a b | error -1", "${params.env}é | error -1"})
  @DisplayName("TF-A32 a template that can never produce a valid name is an error; one that can produce the same "
      + "name for different values is a warning")
  void reviewed(String template, String expected) throws Template.Malformed {
    List<String> remarks = LockReview.of(Template.parse(template), "deploy", "1.2.0", PARAMS).stream()
        .map(remark -> (remark.isError() ? "error " : "warn ") + remark.reference()).toList();
    assertThat(String.join(", ", remarks)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({"[a-z]+, false", "'[a-z0-9]{1,9}', false", "(ab|cd)*\\d+, false", "[+--]x, true", "a-b, true",
      "a.b, true",
      "[^x]+, true", "\\w+, true", "[a-z-]+, true", "[-a]+, true", "(?i)a, true", "[!-~], true", "[a&&[-]], true"})
  @DisplayName("A pattern that is not understood may match anything")
  void patterns(String pattern, boolean mayHaveDash) {
    assertThat(LockReview.mayMatch(pattern, '-')).isEqualTo(mayHaveDash);
  }
}
