package fleet.tower.platform.yaml;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Collects the errors and warnings about one file. For each position only the first is kept, because later ones
 * usually follow from it.
 */
public final class Complaints {
  private static final int MAX = 100;

  private final String file;
  private final Map<Node.Position, Complaint> found = new TreeMap<>();

  public Complaints(String file) {
    this.file = file;
  }

  /** Reports an error. */
  public void error(Node.Position position, String message) {
    add(position, message, true);
  }

  /** Reports a warning. */
  public void warn(Node.Position position, String message) {
    add(position, message, false);
  }

  private void add(Node.Position position, String message, boolean isError) {
    Complaint previous = found.get(position);
    if ((previous == null && found.size() < MAX) || (previous != null && isError && !previous.isError())) {
      found.put(position, new Complaint(file, position, isError, message));
    }
  }

  /** Whether an error was reported. */
  public boolean hasErrors() {
    return found.values().stream().anyMatch(Complaint::isError);
  }

  /** All errors and warnings, in the order of the file. */
  public List<Complaint> all() {
    return List.copyOf(found.values());
  }

  /** A text in quotes for a message, cut to 40 characters. */
  public static String shown(String text) {
    String line = text.replace("\n", "\\n");
    return "'" + (line.codePointCount(0, line.length()) > 40
        ? line.substring(0, line.offsetByCodePoints(0, 40)) + "…'"
        : line + "'");
  }
}
