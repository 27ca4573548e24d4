package fleet.tower.platform.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.platform.InvalidValue;

@DisplayName("Named parameters of a statement")
class NamedValuesTest {
  private final Database database;

  NamedValuesTest(@TempDir Path home) {
    database = Database.at("jdbc:sqlite:" + home.resolve("tower.db"));
  }

  @AfterEach
  void close() {
    database.close();
  }

  private static List<String> texts(ResultSet row) throws SQLException {
    return List.of(String.valueOf(row.getString(1)), String.valueOf(row.getString(2)),
        String.valueOf(row.getString(3)));
  }

  private List<String> select(String sql, NamedValues values) {
    return database.writeSwiftly(session -> session.query(sql, NamedValuesTest::texts, values)).getFirst();
  }

  @Test
  @DisplayName("They get their values in any order, as often as they occur, and again at the next call")
  void byName() {
    String sql = "SELECT :second, :first_1, :second";
    NamedValues values = new NamedValues().put("first_1", "a").put("second", "b").put("unused", 1);

    assertThat(select(sql, values)).containsExactly("b", "a", "b");
    assertThat(select(sql, values.put("second", null))).containsExactly("null", "a", "null");
  }

  @Test
  @DisplayName("A colon or a question mark in quotes is text, also beside a quote in it and in JSON")
  void quoted() {
    assertThat(select("SELECT 'it''s :not', '{\"a\":1,\"b\":\"c?\"}', :name AS \":x\"",
        new NamedValues().put("name", "n"))).containsExactly("it's :not", "{\"a\":1,\"b\":\"c?\"}", "n");
  }

  @Test
  @DisplayName("In PostgreSQL, a cast is none")
  void casts() {
    try (Database postgres = Database.at(PostgresServer.newDatabase())) {
      assertThat(postgres.writeSwiftly(session -> session.query("SELECT :name::text, '7'::int + :n::int, 'a::b'",
          NamedValuesTest::texts, new NamedValues().put("n", 1).put("name", "x"))).getFirst())
          .containsExactly("x", "8", "a::b");
    }
  }

  @Test
  @DisplayName("A parameter without a value is an error, and U+0000 is refused as everywhere")
  void misused() {
    assertThatIllegalStateException().isThrownBy(() -> select("SELECT :a, :b, :c", new NamedValues().put("a", 1)))
        .withMessage("no value for the parameter :b");
    assertThatExceptionOfType(InvalidValue.class)
        .isThrownBy(() -> select("SELECT :a, 1, 1", new NamedValues().put("a", "\0")));
  }
}
