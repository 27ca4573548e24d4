package fleet.tower.platform.yaml;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What is said about one file: at one place the first thing only, because the others mostly follow from it. */
public final class Complaints {
  private static final int MAX = 100;

  private final String file;
  private final Map<Node.Place, Complaint> found = new TreeMap<>(
      Comparator.comparingInt(Node.Place::line).thenComparingInt(Node.Place::column));

  /** About one file. */
  public Complaints(String file) {
    this.file = file;
  }

  /** Says that something is wrong. */
  public void error(Node.Place place, String message) {
    add(place, message, true);
  }

  /** Says that something is doubtful. */
  public void warn(Node.Place place, String message) {
    add(place, message, false);
  }

  private void add(Node.Place place, String message, boolean isError) {
    Complaint there = found.get(place);
    if ((there == null && found.size() < MAX) || (there != null && isError && !there.isError())) {
      found.put(place, new Complaint(file, place, isError, message));
    }
  }

  /** Whether anything is wrong. */
  public boolean hasErrors() {
    return found.values().stream().anyMatch(Complaint::isError);
  }

  /** All of them, in the order of the file. */
  public List<Complaint> all() {
    return List.copyOf(found.values());
  }

  /** A text in quotes for a message: short, however long it is. */
  public static String shown(String text) {
    String line = text.replace("\n", "\\n");
    return "'" + (line.codePointCount(0, line.length()) > 40
        ? line.substring(0, line.offsetByCodePoints(0, 40)) + "…'"
        : line + "'");
  }
}
