package fleet.tower.platform.sql;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonValue;

/** The statements of a released version, executed on one connection; their form is described in their file. */
public final class ReleasedStatements implements AutoCloseable {
  private static final String FILE = "/released/0.1.0/statements.txt";

  private final Map<String, String> statements = new LinkedHashMap<>();
  private final Map<String, List<Execution>> operations = new LinkedHashMap<>();
  private final Connection connection;

  /** One execution of a statement, with the number of rows that it changed or returned. */
  private record Execution(String statement, String parameters, int rows) {}

  /** Uses the database of a URL until this is closed. */
  public ReleasedStatements(String url) {
    List<Execution> operation = new ArrayList<>();
    for (String line : lines()) {
      String[] words = line.split(" ", 2);
      if (line.startsWith("[")) {
        operation = new ArrayList<>();
        operations.put(line.substring(1, line.length() - 1), operation);
      } else if (words.length == 2 && words[1].startsWith("= ")) {
        statements.put(words[0], words[1].substring(2));
      } else if (!line.isEmpty() && !line.startsWith("#")) {
        int arrow = words[1].lastIndexOf(" -> ");
        operation.add(new Execution(words[0], words[1].substring(0, arrow),
            Integer.parseInt(words[1].substring(arrow + 4))));
      }
    }
    try {
      connection = DriverManager.getConnection(url);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static List<String> lines() {
    try (InputStream in = ReleasedStatements.class.getResourceAsStream(FILE)) {
      if (in == null) {
        throw new IllegalStateException("no " + FILE);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The names of all operations, in order. */
  public List<String> operations() {
    return List.copyOf(operations.keySet());
  }

  /** The statements that the server cannot parse for this database, with its reason; normally none. */
  public List<String> unparseable() {
    List<String> wrong = new ArrayList<>();
    for (String sql : statements.values()) {
      try (PreparedStatement statement = connection.prepareStatement(sql)) {
        statement.getParameterMetaData();
        statement.getMetaData();
      } catch (SQLException e) {
        wrong.add(e.getMessage() + ": " + sql);
      }
    }
    return wrong;
  }

  /**
   * Executes an operation; returns the statements that failed, or changed or returned another number of rows than they
   * did in their own version; normally none.
   *
   * @param ids the values of ids that the operation did not create, by their names in the file
   */
  public List<String> differences(String operation, Map<String, String> ids) {
    List<String> differences = new ArrayList<>();
    for (Execution execution : operations.getOrDefault(operation, List.of())) {
      String sql = statements.getOrDefault(execution.statement(), "");
      String parameters = execution.parameters();
      for (Map.Entry<String, String> id : ids.entrySet()) {
        parameters = parameters.replace(id.getKey(), id.getValue());
      }
      try {
        int rows = execute(sql, parameters);
        if (rows != execution.rows()) {
          differences.add(rows + " rows instead of " + execution.rows() + ": " + sql + " " + parameters);
        }
      } catch (SQLException e) {
        differences.add(e.getMessage() + ": " + sql + " " + parameters);
      }
    }
    return differences;
  }

  private int execute(String sql, String parameters) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      int index = 1;
      for (Object value : values(parameters)) {
        statement.setObject(index++, value);
      }
      if (!statement.execute()) {
        return statement.getUpdateCount();
      }
      int rows = 0;
      try (ResultSet found = statement.getResultSet()) {
        while (found.next()) {
          rows++;
        }
      }
      return rows;
    }
  }

  private static List<@Nullable Object> values(String array) {
    try {
      JsonObject json = JsonReader.readObject("{\"values\":" + array + "}");
      List<@Nullable Object> values = new ArrayList<>();
      if (json.get("values") instanceof JsonValue.Items items) {
        items.values().forEach(item -> values.add(value(item)));
      }
      return values;
    } catch (JsonException e) {
      throw new IllegalStateException(array, e);
    }
  }

  private static @Nullable Object value(JsonValue json) {
    return switch (json) {
      case JsonValue.Text text -> text.value();
      case JsonValue.Numeral number -> Long.valueOf(number.literal());
      case JsonValue.Bool bool -> bool.value();
      case JsonValue.Null _ -> null;
      case JsonValue.Items items -> array(items.values());
      case JsonObject object -> throw new IllegalStateException("no statement has an object as a parameter: " + object);
    };
  }

  private static Object array(List<JsonValue> items) {
    boolean isOfNumbers = !items.isEmpty() && items.getFirst() instanceof JsonValue.Numeral;
    return isOfNumbers
        ? items.stream().map(ReleasedStatements::value).toArray(Long[]::new)
        : items.stream().map(ReleasedStatements::value).toArray(String[]::new);
  }

  @Override
  public void close() {
    try {
      connection.close();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
