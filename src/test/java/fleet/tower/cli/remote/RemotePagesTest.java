package fleet.tower.cli.remote;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.list.Rows;

class RemotePagesTest {
  private final List<String> asked = new ArrayList<>();

  /** A page of a list of ten numbers, at most three on each. */
  private JsonObject page(int limit, String cursor) {
    asked.add(limit + cursor);
    int first = cursor.isEmpty() ? 0 : Integer.parseInt(cursor.substring("&cursor=".length()));
    int end = Math.min(10, first + Math.min(3, limit));
    StringBuilder rows = new StringBuilder();
    for (int i = first; i < end; i++) {
      rows.append(i > first ? "," : "").append("{\"n\":").append(i).append('}');
    }
    try {
      return JsonReader.readObject("{\"rows\":[" + rows + "]" + (end < 10 ? ",\"next\":\"" + end + "\"}" : "}"));
    } catch (JsonException e) {
      throw new AssertionError(e);
    }
  }

  private Rows<Long> read(int limit, @Nullable String cursor) {
    return RemotePages.read("rows", limit, cursor, this::page).as(row -> row.integer("n").orElseThrow());
  }

  @Test
  @DisplayName("All pages of a service's list are read, until it ends")
  void all() {
    assertThat(read(Integer.MAX_VALUE, null))
        .isEqualTo(new Rows<>(List.of(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L), false,
            null));
    assertThat(asked).hasSize(4).last().asString().endsWith("&cursor=9");
  }

  @Test
  @DisplayName("Pages are read up to a limit; then `next` says where the list continues")
  void limited() {
    assertThat(read(5, null)).isEqualTo(new Rows<>(List.of(0L, 1L, 2L, 3L, 4L), false, "5"));
    assertThat(asked).containsExactly("5", "2&cursor=3");
    assertThat(read(4, "7")).isEqualTo(new Rows<>(List.of(7L, 8L, 9L), false, null));
  }
}
