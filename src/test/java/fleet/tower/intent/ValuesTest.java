package fleet.tower.intent;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import fleet.tower.answer.IntentJson;
import fleet.tower.intent.Parameter.Limits;
import fleet.tower.intent.Values.Given;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonReader;

@DisplayName("Values are checked against their parameters as written")
class ValuesTest {
  private static final Parameter APP = new Parameter("app", Parameter.Type.STRING, true, null, false,
      new Limits(Pattern.compile("[a-z]+"), List.of(), null, null), "The app");
  private static final Parameter COUNT = new Parameter("count", Parameter.Type.INTEGER, false, "2", false,
      new Limits(null, List.of(), BigDecimal.ONE, BigDecimal.TEN), "");
  private static final Parameter KEY = new Parameter("key", Parameter.Type.STRING, false, null, true,
      new Limits(null, List.of("abcdefgh", "x"), null, null), "");
  private static final List<Parameter> PARAMS = List.of(APP, COUNT, KEY);

  private static Parameter of(Parameter.Type type) {
    return new Parameter("p", type, true, null, false, Limits.NONE, "");
  }

  @ParameterizedTest
  @CsvSource({"STRING, no, WORD, true", "STRING, 1.10, WORD, true", "STRING, 5, NUMBER, false",
      "STRING, true, BOOLEAN, false", "INTEGER, 5, NUMBER, true", "INTEGER, 5, STRING, false",
      "INTEGER, 010, WORD, false",
      "INTEGER, 1.0, NUMBER, false", "INTEGER, -0, WORD, true", "INTEGER, +1, WORD, false",
      "INTEGER, 1000000000000000000000, NUMBER, false", "INTEGER, ١, WORD, false", "NUMBER, 1e5, NUMBER, true",
      "NUMBER, .5, WORD, false", "NUMBER, NaN, WORD, false", "NUMBER, 1e9999, WORD, false", "BOOLEAN, true, WORD, true",
      "BOOLEAN, True, WORD, false", "BOOLEAN, yes, WORD, false", "BOOLEAN, true, STRING, false",
      "STRING, x, OTHER, false"})
  @DisplayName("TF-A36 a value of another type is rejected, never converted")
  void types(Parameter.Type type, String text, Given.Kind kind, boolean isGood) {
    assertThat(Values.problem(of(type), new Given(text, kind)).isEmpty()).isEqualTo(isGood);
  }

  @Test
  @DisplayName("A text that cannot be passed to a program is rejected: NUL, unpaired surrogate, too long")
  void impossibleTexts() {
    for (String text : List.of("a\0b", "\ud800", "x".repeat(16_385))) {
      assertThat(Values.problem(of(Parameter.Type.STRING), new Given(text, Given.Kind.STRING))).isPresent();
    }
    assertThat(Values.problem(of(Parameter.Type.STRING), new Given("; rm -rf / $(id) --help \n 𝄞", Given.Kind.STRING)))
        .isEmpty();
  }

  @ParameterizedTest
  @CsvSource(delimiter = ';', value = {"(?:.*a){12}b ; 60", "a*a*a*a*a*a*b ; 400", "(?:a|b)*c ; 16000"})
  @DisplayName("A pattern that would backtrack for centuries, or beyond the stack, is aborted and reported")
  void expensivePattern(String pattern, int length) {
    Parameter param = new Parameter("p", Parameter.Type.STRING, true, null, false,
        new Limits(Pattern.compile(pattern), List.of(), null, null), "");
    String text = "a".repeat(length);

    assertThat(Values.problem(param, new Given(text, Given.Kind.STRING)))
        .contains("takes too long to match against " + pattern
            + "; give a shorter value, or simplify the intent's pattern, not '"
            + (length > 40 ? text.substring(0, 40) + "…" : text) + "'");
  }

  @Test
  @DisplayName("A simple pattern accepts the longest allowed value")
  void longValue() {
    Parameter param = new Parameter("p", Parameter.Type.STRING, true, null, false,
        new Limits(Pattern.compile("[a-z0-9]+([._-][a-z0-9]+)*"), List.of(), null, null), "");
    assertThat(Values.problem(param, new Given("a-".repeat(500) + "x".repeat(15_000), Given.Kind.STRING))).isEmpty();
  }

  @Test
  @DisplayName("All problems are reported at once, with pointers and without secrets")
  void allProblems() {
    Map<String, Given> given = new LinkedHashMap<>();
    given.put("app", new Given("Shop\n", Given.Kind.STRING));
    given.put("count", new Given("11", Given.Kind.NUMBER));
    given.put("key", new Given("hunter2", Given.Kind.STRING));
    given.put("a/b~", new Given("x", Given.Kind.STRING));

    assertThat(Values.read(PARAMS, given)).isEqualTo(new Values.Rejected(List.of(
        new Values.Problem("/params/app", "must match [a-z]+, not 'Shop\n'"),
        new Values.Problem("/params/count", "must be at most 10, not '11'"),
        new Values.Problem("/params/key", "must be one of abcdefgh, x"),
        new Values.Problem("/params/a~1b~0", "unknown parameter; the intent has app, count, key"))));
    assertThat(Values.read(PARAMS, Map.of()))
        .isEqualTo(new Values.Rejected(List.of(new Values.Problem("/params/app", "is required"))));
  }

  @Test
  @DisplayName("Valid values: the given ones, defaults for the others, none for parameters with neither")
  void good() {
    Map<String, Given> given = Map.of("app", new Given("shop", Given.Kind.STRING), "key",
        new Given("abcdefgh", Given.Kind.WORD));
    assertThat(Values.read(PARAMS, given)).isInstanceOfSatisfying(Values.Accepted.class, good -> {
      assertThat(good.values().texts()).isEqualTo(Map.of("app", "shop", "count", "2", "key", "abcdefgh"));
      assertThat(good.values().secrets()).containsExactly("abcdefgh");
      assertThat(good.values().text("none")).isEmpty();
    });
  }

  @Test
  @DisplayName("Parameters are shown as the JSON Schema of a run's parameters")
  void schema() throws JsonException {
    String schema = IntentJson.params(PARAMS).end();

    assertThat(JsonReader.readObject(schema).raw()).isEqualTo("{\"type\":\"object\",\"properties\":{"
        + "\"app\":{\"type\":\"string\",\"description\":\"The app\",\"pattern\":\"^(?:[a-z]+)$\"},"
        + "\"count\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":10,\"default\":2},"
        + "\"key\":{\"type\":\"string\",\"enum\":[\"abcdefgh\",\"x\"],\"writeOnly\":true}},"
        + "\"required\":[\"app\"],\"additionalProperties\":false}");
  }
}
