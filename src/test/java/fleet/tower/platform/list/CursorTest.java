package fleet.tower.platform.list;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.platform.InvalidValue;

class CursorTest {
  private static final Cursor PLACE = Cursor.of(-5, 1_790_000_000_000L, "app-1");
  private static final String LIST = Page.list("runs", "deploy", null);

  @Test
  @DisplayName("A cursor is read as it was written")
  void roundTrip() {
    Cursor read = Cursor.parse(PLACE.text(LIST), LIST);
    assertThat(read).isEqualTo(PLACE);
    assertThat(read.number(0)).isEqualTo(-5);
    assertThat(read.number(1)).isEqualTo(1_790_000_000_000L);
    assertThat(read.key(2)).isEqualTo("app-1");
    assertThat(PLACE.text(LIST)).matches("[A-Za-z0-9_-]+").doesNotContain("app-1");
  }

  @Test
  @DisplayName("A cursor continues only the list and the filters that it was made for")
  void otherList() {
    String text = PLACE.text(LIST);
    for (String other : List.of(Page.list("runs", "deploy", "x"), Page.list("runs", null, "deploy"), "runs", "tasks",
        Page.list("runs", "deploy", "null"))) {
      assertThatThrownBy(() -> Cursor.parse(text, other)).isInstanceOf(InvalidValue.class)
          .hasMessageContaining("with the same filters");
    }
  }

  @Test
  @DisplayName("A cursor with a changed character is refused")
  void changed() {
    String text = PLACE.text(LIST);
    for (int i = 0; i < text.length() - 1; i++) {
      String other = text.substring(0, i) + (text.charAt(i) == 'A' ? 'B' : 'A') + text.substring(i + 1);
      assertThatThrownBy(() -> Cursor.parse(other, LIST)).isInstanceOf(InvalidValue.class);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "x", "!", "AAAAAAAAAAA", "../etc", "ü"})
  @DisplayName("Any other text is refused")
  void other(String text) {
    assertThatThrownBy(() -> Cursor.parse(text, LIST)).isInstanceOf(InvalidValue.class);
  }

  @Test
  @DisplayName("A key that is missing or no number is refused")
  void keys() {
    assertThatThrownBy(() -> PLACE.number(2)).isInstanceOf(InvalidValue.class);
    assertThatThrownBy(() -> PLACE.key(3)).isInstanceOf(InvalidValue.class);
  }
}
