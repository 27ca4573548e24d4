package fleet.tower.platform.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("JSON is parsed strictly, and written JSON can be parsed again")
class JsonReaderTest {

  static Stream<Arguments> refused() {
    return Stream.of(Arguments.of("", "empty"), Arguments.of("  \n", "empty"), Arguments.of("null", "not an object"),
        Arguments.of("[]", "not an object"), Arguments.of("\"a\"", "not an object"),
        Arguments.of("7", "not an object"), Arguments.of("{", "it ends in the middle (cut off at character 1)"),
        Arguments.of("{\"a\"", "it ends in the middle (cut off at character 4)"),
        Arguments.of("{\"a\":1}x", "text after the end of the value (at character 7)"),
        Arguments.of("{} {}", "text after the end of the value (at character 3)"),
        Arguments.of("{\"a\":1,}", "a key must be a string (at character 7)"),
        Arguments.of("{,}", "a key must be a string (at character 1)"),
        Arguments.of("{a:1}", "a key must be a string (at character 1)"),
        Arguments.of("{'a':1}", "a key must be a string (at character 1)"),
        Arguments.of("{\"a\" 1}", "expected ':' (at character 5)"),
        Arguments.of("{\"a\":1 \"b\":2}", "expected '}' (at character 7)"),
        Arguments.of("{\"a\":1,\"a\":1}", "duplicate key \"a\" (at character 12)"),
        Arguments.of("{\"a\":1,\"\\u0061\":1}", "duplicate key \"a\" (at character 17)"),
        Arguments.of("{\"a\":[1,]}", "not a value (at character 8)"),
        Arguments.of("{\"a\":[1 2]}", "expected ']' (at character 8)"),
        Arguments.of("{\"a\":tru}", "not a value (at character 5)"),
        Arguments.of("{\"a\":True}", "not a value (at character 5)"),
        Arguments.of("{\"a\":NaN}", "not a value (at character 5)"),
        Arguments.of("{\"a\":/*x*/1}", "not a value (at character 5)"),
        Arguments.of("{\"a\":\"\\x\"}", "unknown escape (at character 8)"),
        Arguments.of("{\"a\":\"\\u12g4\"}", "\\u without four hexadecimal digits (at character 10)"),
        Arguments.of("{\"a\":\"\t\"}", "unescaped control character in a string (at character 7)"),
        Arguments.of("\ufeff{}", "not a value (at character 0)"),
        Arguments.of("{\"a\":\u00a01}", "not a value (at character 5)"));
  }

  @ParameterizedTest
  @MethodSource("refused")
  @DisplayName("TF-12.2 invalid JSON is rejected with the position")
  void refuses(String text, String message) {
    assertThatThrownBy(() -> JsonReader.readObject(text)).isInstanceOf(JsonException.class).hasMessage(message);
  }

  @ParameterizedTest
  @ValueSource(strings = {"01", "+1", "1.", ".5", "1e", "1e+", "--1", "0x10", "1_000", "-", "1.2.3", "\u0661"})
  @DisplayName("TF-12.2 invalid numbers")
  void refusesNumbers(String number) {
    assertThatThrownBy(() -> JsonReader.readObject("{\"a\":" + number + "}")).isInstanceOf(JsonException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "-0", "1.0", "1e5", "1E-5", "-12.50e+3", "123456789012345678901234567890"})
  @DisplayName("TF-5.5 numbers are kept as written")
  void keepsNumbers(String number) throws JsonException {
    assertThat(JsonReader.readObject("{\"a\":" + number + "}").get("a"))
        .isEqualTo(new JsonValue.Numeral(number, 5, 5 + number.length()));
  }

  @Test
  @DisplayName("TF-3.1 only integers written as such and in range are integers")
  void readsIntegers() throws JsonException {
    JsonObject json = JsonReader.readObject("{\"a\":9223372036854775807,\"b\":9223372036854775808,\"c\":1.0,\"d\":1e2,"
        + "\"e\":\"1\",\"f\":-9223372036854775808,\"g\":" + "9".repeat(5000) + "}");
    assertThat(json.integer("a")).hasValue(Long.MAX_VALUE);
    assertThat(json.integer("f")).hasValue(Long.MIN_VALUE);
    assertThat(Stream.of("b", "c", "d", "e", "g", "missing")).allSatisfy(key -> assertThat(json.integer(key))
        .isEmpty());
  }

  @ParameterizedTest
  @ValueSource(strings = {"[", "{\"a\":"})
  @DisplayName("TF-12.3 at most 64 levels, so that no file overflows the stack")
  void limitsDepth(String open) throws JsonException {
    String close = open.equals("[") ? "]" : "}";
    assertThat(JsonReader.readObject("{\"a\":" + open.repeat(62) + "[]" + close.repeat(62) + "}").members())
        .containsOnlyKeys("a");
    assertThatThrownBy(() -> JsonReader.readObject("{\"a\":" + open.repeat(63) + "[]" + close.repeat(63) + "}"))
        .hasMessageStartingWith("nested deeper than 64");
    assertThatThrownBy(() -> JsonReader.readObject(open.repeat(60_000))).isInstanceOf(JsonException.class);
  }

  @Test
  @DisplayName("TF-5.5 one member is replaced and every other character is kept")
  void replacesOneMember() throws JsonException {
    String text = " { \"x\" : [1, {\"b\":0}] ,\"b\":\t\"old\" , \"\\u00e9\":1.10}\n";
    assertThat(JsonReader.readObject(text).withMember("b", "7")).isEqualTo(text.replace("\"old\"", "7"));
    assertThat(JsonReader.readObject(text).raw()).isEqualTo(text.strip());
    assertThatThrownBy(() -> JsonReader.readObject(text).withMember("c", "7"))
        .isInstanceOf(IllegalStateException.class);
  }

  static Stream<byte[]> notUtf8() {
    return Stream.of(new byte[]{'{', (byte) 0xff, '}'}, new byte[]{(byte) 0xc0, (byte) 0x80},
        new byte[]{(byte) 0xed, (byte) 0xa0, (byte) 0x80}, new byte[]{(byte) 0xe2, (byte) 0x82});
  }

  @ParameterizedTest
  @MethodSource("notUtf8")
  @DisplayName("TF-12.2 invalid UTF-8 is rejected, including overlong forms and surrogates")
  void refusesOtherBytes(byte[] bytes) {
    assertThatThrownBy(() -> JsonReader.readObject(bytes)).isInstanceOf(JsonException.class)
        .hasMessage("not valid UTF-8");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a\"b\\c/d", "\n\r\t\b\f\u0000\u001f\u007f", "\u2028\u2029", "\u00e9\u4e2d\ud83d\ude00",
      "\ud800", "\udc00x", "\ude00\ud83d", "x\ud83d"})
  @DisplayName("TF-A24 any string, even with unpaired surrogates, is written on one line and parsed unchanged")
  void readsBack(String value) throws JsonException {
    String line = JsonWriter.line().put("a", value).put("n", 7).put("b", true).put("z", (String) null).end();

    assertThat(line).doesNotContainPattern("[\\x00-\\x1f\\x7f\\u2028\\u2029]");
    byte[] utf8 = line.getBytes(StandardCharsets.UTF_8);
    assertThat(JsonReader.readObject(utf8).text("a")).hasValue(value);
    assertThat(JsonReader.readObject(line).get("z")).isInstanceOf(JsonValue.Null.class);
  }
}
