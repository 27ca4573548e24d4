package fleet.tower.cli.remote;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.operation.CommonArgs;
import fleet.tower.operation.Given;
import fleet.tower.operation.LockOperations;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.list.Rows;

class RemotePagesTest {
  private final List<String> asked = new ArrayList<>();

  /** A page of a list of ten numbers, at most three on each. */
  private JsonObject page(Given given) {
    int limit = given.find(CommonArgs.LIMIT).orElse(10L).intValue();
    String cursor = given.find(CommonArgs.CURSOR).orElse("");
    asked.add((given.has(CommonArgs.LIMIT) ? limit : "all") + (cursor.isEmpty() ? "" : "&cursor=" + cursor));
    int first = cursor.isEmpty() ? 0 : Integer.parseInt(cursor);
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

  private Rows<Long> read(Given given) {
    return RemotePages.read(LockOperations.LIST, given, this::page).rows().as(row -> row.integer("n").orElseThrow());
  }

  @Test
  @DisplayName("All pages of a service's list are read, until it ends")
  void all() {
    assertThat(read(Given.NOTHING))
        .isEqualTo(new Rows<>(List.of(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L), false,
            null));
    assertThat(asked).containsExactly("all", "all&cursor=3", "all&cursor=6", "all&cursor=9");
  }

  @Test
  @DisplayName("Pages are read up to a limit; then `next` says where the list continues")
  void limited() {
    assertThat(read(Given.NOTHING.with(CommonArgs.LIMIT, 5L)))
        .isEqualTo(new Rows<>(List.of(0L, 1L, 2L, 3L, 4L), false, "5"));
    assertThat(asked).containsExactly("5", "2&cursor=3");
    assertThat(read(Given.NOTHING.with(CommonArgs.LIMIT, 4L).with(CommonArgs.CURSOR, "7")))
        .isEqualTo(new Rows<>(List.of(7L, 8L, 9L), false, null));
  }
}
