package fleet.tower.platform.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("The output of a program as text")
class OutputTextTest {

  @Test
  @DisplayName("Colours, titles and cursor movements are removed, other control characters escaped, line ends uniform")
  void printable() {
    assertThat(
        OutputText.printable("\u001b[1;31mred\u001b[0m\tb\r\n\u001b]0;title\u0007bell\u0007\n\u001b]8;;u\u001b\\x"))
        .isEqualTo("red\tb\nbell\\x07\nx");
  }

  @Test
  @DisplayName("An unterminated title removes nothing from the following lines")
  void unended() {
    assertThat(OutputText.printable("a\u001b]0;title\nb\nc\u0007")).isEqualTo("a\\x1b]0;title\nb\nc\\x07");
  }

  @ParameterizedTest
  @ValueSource(strings = {"ü", "€", "😀", "\u001b[1;31m", "\u001b]0;t\u0007", "\u001b]8;;u\u001b\\"})
  @DisplayName("Output is not cut within a character or a terminal sequence, and is cut before and after them")
  void wholeEnd(String unit) {
    byte[] bytes = ("ab" + unit + unit + "c").getBytes(StandardCharsets.UTF_8);
    int length = unit.getBytes(StandardCharsets.UTF_8).length;
    for (int to = 0; to <= bytes.length; to++) {
      int expected = to < 2 || to > 2 + 2 * length ? to : to - (to - 2) % length;
      assertThat(OutputText.wholeEnd(bytes, 0, to)).as("up to " + to).isEqualTo(expected);
      assertThat(OutputText.wholeEnd(bytes, Math.min(2, to), to)).isEqualTo(expected);
    }
  }

  @Test
  @DisplayName("Bytes that are not text, and unterminated sequences, do not prevent a cut")
  void invalid() {
    byte[] bytes = "\u0080\u00bf\u0080\u00bf\u0080".getBytes(StandardCharsets.ISO_8859_1);
    assertThat(OutputText.wholeEnd(bytes, 0, 5)).isEqualTo(5);
    byte[] endless = ("\u001b]0;" + "x".repeat(500)).getBytes(StandardCharsets.UTF_8);
    assertThat(OutputText.wholeEnd(endless, 0, 500)).isEqualTo(500);
  }
}
