package fleet.tower.platform.json;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("The canonical form of JSON is that of RFC 8785")
class CanonicalJsonTest {

  private static String canonical(String json) throws JsonException {
    return CanonicalJson.of(JsonReader.readValue(json));
  }

  @Test
  @DisplayName("Section 3.2.2: literals, numbers and strings")
  void primitives() throws JsonException {
    assertThat(canonical("""
        {
          "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
          "string": "\\u20ac$\\u000F\\u000aA'\\u0042\\u0022\\u005c\\\\\\"\\/",
          "literals": [null, true, false]
        }""")).isEqualTo("{\"literals\":[null,true,false],\"numbers\":[333333333.3333333,1e+30,4.5,0.002,1e-27],"
        + "\"string\":\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}");
  }

  @Test
  @DisplayName("Section 3.2.3: members are ordered by UTF-16 code units, at every level")
  void order() throws JsonException {
    assertThat(canonical("""
        {"\\u20ac": "Euro Sign", "\\r": "Carriage Return", "\\ufb33": "Hebrew Letter Dalet With Dagesh",
         "1": "One", "\\ud83d\\ude00": "Emoji: Grinning Face", "\\u0080": "Control",
         "\\u00f6": "Latin Small Letter O With Diaeresis"}"""))
        .isEqualTo("{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u0080\":\"Control\","
            + "\"ö\":\"Latin Small Letter O With Diaeresis\",\"€\":\"Euro Sign\","
            + "\"😀\":\"Emoji: Grinning Face\",\"\ufb33\":\"Hebrew Letter Dalet With Dagesh\"}");
    assertThat(canonical("[{\"b\":[],\"a\":{\"d\":{},\"c\":\"\\b\\f\\t\\u0001\\u007f\"}}]"))
        .isEqualTo("[{\"a\":{\"c\":\"\\b\\f\\t\\u0001\u007f\",\"d\":{}},\"b\":[]}]");
  }

  @ParameterizedTest(name = "{0} is {1}")
  @DisplayName("Appendix B: numbers")
  @CsvSource({"0000000000000000, 0", "8000000000000000, 0", "0000000000000001, 5e-324", "8000000000000001, -5e-324",
      "7fefffffffffffff, 1.7976931348623157e+308", "ffefffffffffffff, -1.7976931348623157e+308",
      "4340000000000000, 9007199254740992", "c340000000000000, -9007199254740992",
      "4430000000000000, 295147905179352830000", "44b52d02c7e14af5, 9.999999999999997e+22",
      "44b52d02c7e14af6, 1e+23", "44b52d02c7e14af7, 1.0000000000000001e+23",
      "444b1ae4d6e2ef4e, 999999999999999700000", "444b1ae4d6e2ef4f, 999999999999999900000",
      "444b1ae4d6e2ef50, 1e+21", "3eb0c6f7a0b5ed8c, 9.999999999999997e-7", "3eb0c6f7a0b5ed8d, 0.000001",
      "41b3de4355555553, 333333333.3333332", "41b3de4355555554, 333333333.33333325",
      "41b3de4355555555, 333333333.3333333", "41b3de4355555556, 333333333.3333334",
      "41b3de4355555557, 333333333.33333343", "becbf647612f3696, -0.0000033333333333333333",
      "43143ff3c1cb0959, 1424953923781206.2"})
  void numbers(String bits, String expected) throws JsonException {
    double value = Double.longBitsToDouble(Long.parseUnsignedLong(bits, 16));

    assertThat(canonical(Double.toString(value))).isEqualTo(expected);
  }

  /**
   * The sequence and its digest are those of {@code testdata/README.md} in the repository
   * cyberphone/json-canonicalization, which belongs to the authors of the RFC: some chosen numbers, 2,000 successive
   * ones, and then those in a chain of SHA-256 digests.
   */
  @Test
  @DisplayName("The first 100,000 numbers of the published sequence have the published digest")
  void publishedNumbers() throws Exception {
    MessageDigest lines = MessageDigest.getInstance("SHA-256");

    LongStream.concat(LongStream.concat(chosen(), LongStream.range(0, 2_000).map(i -> 0x0010_0000_0000_0000L + i)),
        chained()).limit(100_000).forEach(bits -> lines.update(line(bits).getBytes(StandardCharsets.US_ASCII)));

    assertThat(HexFormat.of().formatHex(lines.digest()))
        .isEqualTo("22776e6d4b49fa294a0d0f349268e5c28808fe7e0cb2bcbe28f63894e494d4c7");
  }

  private static LongStream chosen() throws IOException {
    try (InputStream in = CanonicalJsonTest.class.getResourceAsStream("/json/numbers.txt")) {
      return new String(requireNonNull(in).readAllBytes(), StandardCharsets.US_ASCII).lines()
          .filter(line -> !line.startsWith("#")).flatMap(line -> Stream.of(line.split(" ", -1))).toList().stream()
          .mapToLong(bits -> Long.parseUnsignedLong(bits, 16));
    }
  }

  private static LongStream chained() throws NoSuchAlgorithmException {
    MessageDigest chain = MessageDigest.getInstance("SHA-256");
    return Stream.iterate(chain.digest(new byte[32]), chain::digest)
        .map(block -> ByteBuffer.wrap(block).order(ByteOrder.LITTLE_ENDIAN).asLongBuffer())
        .flatMapToLong(four -> LongStream.range(0, four.capacity()).map(i -> four.get((int) i))).filter(bits -> {
          double value = Double.longBitsToDouble(bits);
          return value != 0 && Double.isFinite(value);
        });
  }

  private static String line(long bits) {
    try {
      return Long.toHexString(bits) + "," + canonical(Double.toString(Double.longBitsToDouble(bits))) + "\n";
    } catch (JsonException e) {
      throw new AssertionError(e);
    }
  }

  @ParameterizedTest
  @DisplayName("A value without a canonical form is refused")
  @ValueSource(strings = {"\"\\ud83d\"", "\"\\ude00\\ud83d\"", "1e309", "{\"\\udead\":1}"})
  void refused(String json) {
    assertThatIllegalArgumentException().isThrownBy(() -> canonical(json));
  }
}
