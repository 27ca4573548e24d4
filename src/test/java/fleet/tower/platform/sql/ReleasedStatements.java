package fleet.tower.platform.sql;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonValue;
import fleet.tower.platform.json.JsonWriter;

/**
 * What a release does with a PostgreSQL database: the version of its schema, the words that it stores, and the
 * statements that it executes for each of some steps, with their parameters and numbers of rows.
 *
 * <p>As text, a line is {@code schema VERSION}, {@code words KIND WORD…}, {@code N = SQL} or {@code [STEP]}. Below a
 * step are its executions, in order: {@code CONNECTION N PARAMETERS -> ROWS}, with parameters as JSON, or
 * {@code CONNECTION closed}.
 *
 * @param schema the highest version in the database
 *
 * @param words the stored words by their kind
 */
public record ReleasedStatements(int schema, SequencedMap<String, List<String>> words,
    SequencedMap<String, List<Execution>> steps) {

  /**
   * One execution of a statement, or the end of its connection.
   *
   * @param connection the number of the connection
   *
   * @param sql empty for the end of the connection
   *
   * @param rows how many rows it changed or returned
   */
  public record Execution(int connection, String sql, String parameters, int rows) {}

  /** Reads the text of {@link #text()}. */
  public static ReleasedStatements parse(String text) {
    int schema = 0;
    SequencedMap<String, List<String>> words = new LinkedHashMap<>();
    Map<String, String> statements = new HashMap<>();
    SequencedMap<String, List<Execution>> steps = new LinkedHashMap<>();
    for (String line : text.lines().filter(each -> !each.isEmpty() && !each.startsWith("#")).toList()) {
      String[] parts = line.split(" ", 3);
      if (line.startsWith("[")) {
        steps.put(line.substring(1, line.length() - 1), new ArrayList<>());
      } else if (parts[0].equals("schema")) {
        schema = Integer.parseInt(parts[1]);
      } else if (parts[0].equals("words")) {
        words.put(parts[1], List.of(parts[2].split(" ")));
      } else if (parts[1].equals("=")) {
        statements.put(parts[0], parts[2]);
      } else {
        steps.lastEntry().getValue().add(execution(parts, statements));
      }
    }
    return new ReleasedStatements(schema, words, steps);
  }

  private static Execution execution(String[] parts, Map<String, String> statements) {
    int connection = Integer.parseInt(parts[0]);
    if (parts.length == 2) {
      return new Execution(connection, "", "[]", 0);
    }
    int arrow = parts[2].lastIndexOf(" -> ");
    return new Execution(connection, statements.getOrDefault(parts[1], ""), parts[2].substring(0, arrow),
        Integer.parseInt(parts[2].substring(arrow + 4)));
  }

  /** This as the text of a file. */
  public String text() {
    List<String> sql = new ArrayList<>(new LinkedHashSet<>(steps.values().stream().flatMap(List::stream)
        .map(Execution::sql).filter(each -> !each.isEmpty()).toList()));
    StringBuilder text = new StringBuilder("schema " + schema + "\n");
    words.forEach((kind, all) -> text.append("words ").append(kind).append(' ').append(String.join(" ", all))
        .append('\n'));
    for (int i = 0; i < sql.size(); i++) {
      text.append(i + 1).append(" = ").append(sql.get(i)).append('\n');
    }
    steps.forEach((step, executions) -> {
      text.append("\n[").append(step).append("]\n");
      executions.forEach(each -> text.append(each.connection()).append(' ')
          .append(each.sql().isEmpty()
              ? "closed"
              : sql.indexOf(each.sql()) + 1 + " " + each.parameters() + " -> " + each.rows())
          .append('\n'));
    });
    return text.toString();
  }

  /** The statements that the server cannot parse for a database, with its reason; normally none. */
  public List<String> unparseable(String url) {
    List<String> wrong = new ArrayList<>();
    try (Connection connection = DriverManager.getConnection(url)) {
      for (String sql : new LinkedHashSet<>(steps.values().stream().flatMap(List::stream).map(Execution::sql)
          .filter(each -> !each.isEmpty()).toList())) {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
          statement.getParameterMetaData();
          statement.getMetaData();
        } catch (SQLException e) {
          wrong.add(e.getMessage() + ": " + sql);
        }
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
    return wrong;
  }

  /**
   * Executes the statements of a step; returns those that failed, or changed or returned another number of rows than
   * they did in their release; normally none.
   */
  public List<String> differences(String step, String url) {
    List<String> differences = new ArrayList<>();
    Map<Integer, Connection> connections = new HashMap<>();
    try {
      for (Execution each : steps.getOrDefault(step, List.of())) {
        Connection connection = connections.computeIfAbsent(each.connection(), _ -> connect(url));
        if (each.sql().isEmpty()) {
          connection.close();
        } else {
          compare(each, connection, differences);
        }
      }
      for (Connection connection : connections.values()) {
        connection.close();
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
    return differences;
  }

  private static Connection connect(String url) {
    try {
      return DriverManager.getConnection(url);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void compare(Execution each, Connection connection, List<String> differences) {
    try {
      int rows = execute(each, connection);
      if (rows != each.rows()) {
        differences.add(rows + " rows instead of " + each.rows() + ": " + each.sql() + " " + each.parameters());
      }
    } catch (SQLException e) {
      differences.add(e.getMessage() + ": " + each.sql() + " " + each.parameters());
    }
  }

  private static int execute(Execution each, Connection connection) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(each.sql())) {
      int index = 1;
      for (Object value : values(each.parameters())) {
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

  /** The parameters of a statement as JSON. */
  static String json(List<@Nullable Object> parameters) {
    return "[" + String.join(",", parameters.stream().map(ReleasedStatements::json).toList()) + "]";
  }

  private static String json(@Nullable Object parameter) {
    return switch (parameter) {
      case null -> "null";
      case String text -> JsonWriter.quote(text);
      case Number number -> number.toString();
      case Boolean bool -> bool.toString();
      case byte[] bytes -> JsonWriter.line().put("bytes", HexFormat.of().formatHex(bytes)).end();
      case long[] numbers -> Arrays.toString(numbers);
      case Object[] items -> json(Arrays.asList(items));
      default -> throw new IllegalArgumentException("no statement has a parameter such as " + parameter);
    };
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
      case JsonObject object -> HexFormat.of().parseHex(object.text("bytes").orElseThrow());
    };
  }

  private static Object array(List<JsonValue> items) {
    Stream<@Nullable Object> values = items.stream().map(ReleasedStatements::value);
    return switch (items.isEmpty() ? null : items.getFirst()) {
      case JsonValue.Numeral _ -> values.toArray(Long[]::new);
      case JsonObject _ -> values.toArray(byte[][]::new);
      case JsonValue.Bool _ -> values.toArray(Boolean[]::new);
      case null, default -> values.toArray(String[]::new);
    };
  }
}
