package fleet.tower.answer;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Rows as lines with aligned columns. */
public final class Table {
  private Table() {}

  public static List<String> lines(List<List<String>> rows) {
    List<Integer> widths = new ArrayList<>();
    for (List<String> row : rows) {
      for (int column = 0; column < row.size(); column++) {
        int width = row.get(column).length();
        if (column == widths.size()) {
          widths.add(width);
        } else {
          widths.set(column, Math.max(widths.get(column), width));
        }
      }
    }
    return rows.stream().map(row -> line(row, widths)).toList();
  }

  private static String line(List<String> row, List<Integer> widths) {
    StringBuilder line = new StringBuilder();
    for (int column = 0; column < row.size(); column++) {
      line.append(String.format(Locale.ROOT, "%-" + (widths.get(column) + 2) + "s", row.get(column)));
    }
    return line.toString().stripTrailing();
  }
}
