package fleet.tower.intent.yaml;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import fleet.tower.intent.Catalogue.Complaint;

/** What is said about one file: at one place the first thing only, because the others mostly follow from it. */
final class Complaints {
  private static final int MAX = 100;

  private final String file;
  private final String intent;
  private final Map<Node.Place, Complaint> found = new TreeMap<>(
      Comparator.comparingInt(Node.Place::line).thenComparingInt(Node.Place::column));

  /** About a file that is meant to hold an intent of this name. */
  Complaints(String file, String intent) {
    this.file = file;
    this.intent = intent;
  }

  void error(Node.Place place, String message) {
    add(place, message, true);
  }

  void warn(Node.Place place, String message) {
    add(place, message, false);
  }

  private void add(Node.Place place, String message, boolean isError) {
    Complaint there = found.get(place);
    if ((there == null && found.size() < MAX) || (there != null && isError && !there.isError())) {
      found.put(place, new Complaint(file, place.line(), place.column(), isError, intent, message));
    }
  }

  boolean hasErrors() {
    return found.values().stream().anyMatch(Complaint::isError);
  }

  /** All of them, in the order of the file. */
  List<Complaint> all() {
    return List.copyOf(found.values());
  }

  /** A text in quotes for a message: short, however long it is. */
  static String shown(String text) {
    String line = text.replace("\n", "\\n");
    return "'" + (line.codePointCount(0, line.length()) > 40
        ? line.substring(0, line.offsetByCodePoints(0, 40)) + "…'"
        : line + "'");
  }
}
