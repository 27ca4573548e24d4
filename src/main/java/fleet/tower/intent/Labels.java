package fleet.tower.intent;

import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** The labels of a host, of which an intent requires some with {@code runs_on}. The name of the host is one of them. */
public record Labels(Set<String> names) {
  private static final Pattern LABEL = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,62}");

  public Labels {
    names = Set.copyOf(names);
  }

  /** The labels of a host. */
  public static Labels of(String hostId, Collection<String> labels) {
    Set<String> names = new LinkedHashSet<>(labels);
    names.add(hostId);
    return new Labels(names);
  }

  /** Reads labels that are separated by commas; empty if one of them is invalid. */
  public static Optional<List<String>> parse(String text) {
    List<String> labels = Arrays.stream(text.split(",", -1)).map(String::strip).filter(label -> !label.isEmpty())
        .distinct().sorted().toList();
    return Optional.of(labels).filter(all -> all.stream().allMatch(label -> LABEL.matcher(label).matches()));
  }

  /** The required labels that the host does not have, in their order. */
  public List<String> missing(List<String> required) {
    return required.stream().filter(label -> !names.contains(label)).toList();
  }

  /** Whether the host has all required labels. */
  public boolean satisfy(List<String> required) {
    return names.containsAll(required);
  }

  /** Labels in a sentence: "label a", or "labels a and b". */
  public static String describe(List<String> labels) {
    return labels.size() == 1
        ? "label " + labels.getFirst()
        : "labels " + String.join(", ", labels.subList(0, labels.size() - 1)) + " and " + labels.getLast();
  }
}
