package fleet.tower.platform.sql;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/** The values of a statement with named parameters. Values that the statement does not name are not used. */
public final class NamedValues {
  private final Map<String, @Nullable Object> values = new HashMap<>();

  public NamedValues put(String name, @Nullable Object value) {
    values.put(name, value);
    return this;
  }

  /** A statement that inserts a row; each column has the value of its name. */
  public static String insertion(String table, String columns) {
    return "INSERT INTO " + table + " (" + columns + ") VALUES (:" + columns.replace(", ", ", :") + ")";
  }

  /** Whether all parameters of a condition have values other than null. */
  boolean areGiven(String condition) {
    return Session.NAMED.matcher(condition).results().map(found -> found.group(1))
        .allMatch(name -> name == null || values.get(name) != null);
  }

  @Nullable
  Object[] inOrder(List<String> names) {
    @Nullable
    Object[] ordered = new Object[names.size()];
    for (int i = 0; i < ordered.length; i++) {
      String name = names.get(i);
      ordered[i] = values.get(name);
      if (ordered[i] == null && !values.containsKey(name)) {
        throw new IllegalStateException("no value for the parameter :" + name);
      }
    }
    return ordered;
  }
}
