package fleet.tower.platform.list;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonWriter;

class RowsTest {

  @Test
  @DisplayName("A list accepts rows up to its maximum size, and none after the first that exceeds it")
  void bounded() {
    String quarter = "x".repeat(RowBudget.MAX_SIZE / 4 - 8);
    List<String> rows = List.of(quarter, quarter, quarter, quarter, "one more that is too much for it", "x");
    Rows<String> taken = Rows.collect(RowsTest::json, reader -> assertThat(rows.stream().allMatch(reader)).isFalse());
    assertThat(taken).isEqualTo(new Rows<>(rows.subList(0, 4), true, null));
    assertThat(taken.json("rows", RowsTest::json).end()).startsWith("{\"rows\":[{\"a\":\"xxx")
        .endsWith("xxx\"}],\"truncated\":true}");
  }

  @Test
  @DisplayName("A complete list has no truncation member, and is read as written")
  void whole() throws JsonException {
    Rows<String> rows = Rows.collect(RowsTest::json, reader -> assertThat(List.of("a", "b")).allMatch(reader));
    String json = rows.json("rows", RowsTest::json).end();
    assertThat(json).isEqualTo("{\"rows\":[{\"a\":\"a\"},{\"a\":\"b\"}]}");
    assertThat(Rows.read(JsonReader.readObject(json), "rows", row -> row.text("a").orElse("")))
        .isEqualTo(rows);
    assertThat(Rows.read(JsonReader.readObject("{\"rows\":[],\"truncated\":true}"), "rows", row -> "").isTruncated())
        .isTrue();
  }

  private static JsonWriter json(String text) {
    return JsonWriter.line().put("a", text);
  }
}
