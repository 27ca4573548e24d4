package fleet.tower.platform.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("Hidden characters")
class VisibleTextTest {

  @ParameterizedTest
  @DisplayName("Control and format characters, tags and what Unicode lets programs ignore are hidden")
  @ValueSource(ints = {0, '\n', '\t', 0x1b, 0x7f, 0x85, 0x9b, 0xad, 0x34f, 0x61c, 0x115f, 0x180e, 0x200b, 0x200d,
      0x200f,
      0x2028, 0x202e, 0x2060, 0x2066, 0x3164, 0xd800, 0xfe00, 0xfeff, 0xffa0, 0xfff9, 0x1d173, 0xe0001, 0xe0041,
      0xe007f,
      0xe0100, 0xe01ef})
  void hidden(int c) {
    assertThat(VisibleText.isHidden(c)).isTrue();
    assertThat(VisibleText.isPlain("a" + Character.toString(c) + "b")).isFalse();
  }

  @Test
  @DisplayName("Letters of any script, emoji and spaces are visible")
  void visible() {
    assertThat(VisibleText.isPlain("José 日本 ü e\u0301 🔒 ⚠\ufe0f \u00a0 \ufffd")).isTrue();
  }

  @Test
  @DisplayName("A text with lines may have line breaks and tabs, and no other hidden character")
  void lines() {
    assertThat(VisibleText.isPlainLines("a\tb\r\nc")).isTrue();
    assertThat(VisibleText.isPlainLines("a\u200bb")).isFalse();
  }

  @Test
  @DisplayName("In a sentence a single word stands as it is, and anything else in quotes")
  void quoted() {
    assertThat(VisibleText.quoted("deploy-app")).isEqualTo("deploy-app");
    assertThat(VisibleText.quoted("José")).isEqualTo("José");
    assertThat(VisibleText.quoted("a). Now \"run\" it")).isEqualTo("\"a). Now \\\"run\\\" it\"");
    assertThat(VisibleText.quoted("")).isEqualTo("\"\"");
  }
}
