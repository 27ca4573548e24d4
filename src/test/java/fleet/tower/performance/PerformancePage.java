package fleet.tower.performance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The rows of {@code docs/performance.md} whose last column names a group of {@code bin/bench}. */
public record PerformancePage(List<Row> rows) {
  private static final Pattern ROW = Pattern.compile(
      "\\| (?<operation>.+?) *\\| (?<value>.+?) *\\| *(?<baseline>.*?) *\\| *(?<ratio>.*?) *\\| `bin/bench (?<group>\\w+)` \\|");
  private static final Pattern FIGURE = Pattern.compile("([\\d,.]+)(.*)");

  /** Cells as they are written, without the space around them. */
  record Row(String group, String operation, String value, String baseline, String ratio) {
    String name() {
      return group + ": " + operation;
    }

    /** The ratio, or else the value; NaN if the cell has none, or another unit. */
    double figure(Measure measure) {
      return measure.isRatio() ? figure(ratio, "") : figure(value, " " + measure.unit());
    }

    boolean isOf(Measure measure) {
      return !Double.isNaN(figure(value, " " + measure.unit())) && !Double.isNaN(figure(measure))
          && (measure.isRatio()
              ? !Double.isNaN(figure(baseline, " " + measure.unit() + ", " + measure.baseline()))
              : (baseline + ratio).isEmpty());
    }

    /** The number before this text. */
    private static double figure(String cell, String text) {
      Matcher figure = FIGURE.matcher(cell);
      return figure.matches() && figure.group(2).equals(text)
          ? Double.parseDouble(figure.group(1).replace(",", ""))
          : Double.NaN;
    }
  }

  public static PerformancePage read(Path file) throws IOException {
    return of(Files.readString(file));
  }

  static PerformancePage of(String text) {
    return new PerformancePage(text.lines().map(ROW::matcher).filter(Matcher::matches)
        .map(row -> new Row(row.group("group"), row.group("operation"), row.group("value"), row.group("baseline"),
            row.group("ratio")))
        .toList());
  }

  /** Where the page and the measures are not about the same: an empty list, or else a mistake in one of them. */
  List<String> differences() {
    List<String> found = new ArrayList<>();
    Map<String, Measure> measures = Arrays.stream(Measure.values())
        .collect(Collectors.toMap(Measure::toString, measure -> measure));
    Map<String, Row> known = new HashMap<>();
    for (Row row : rows) {
      Measure measure = measures.get(row.name());
      if (measure == null) {
        found.add(row.name() + ": nothing measures this row");
      } else if (known.put(row.name(), row) != null) {
        found.add(measure + ": has two rows");
      } else if (!row.isOf(measure)) {
        found.add(measure + ": the row must have a value in " + measure.unit()
            + (measure.isRatio()
                ? ", a ratio, and the baseline '" + measure.baseline() + "' in the same unit"
                : " and no baseline"));
      }
    }
    measures.values().stream().sorted().filter(measure -> measure.guard() != Guard.NONE)
        .filter(measure -> !known.containsKey(measure.toString()))
        .forEach(measure -> found.add(measure + ": is guarded, but has no row"));
    return found;
  }

  /** The guarded measures of these groups whose median of all rounds is not what the page says. */
  public List<String> deviations(Collection<Group> groups, Collection<Report> rounds) {
    return deviations(Arrays.stream(Measure.values())
        .filter(measure -> measure.guard() != Guard.NONE && groups.contains(measure.group())).toList(), rounds);
  }

  List<String> deviations(List<Measure> measures, Collection<Report> rounds) {
    List<String> found = new ArrayList<>();
    for (Measure measure : measures) {
      double page = figure(measure);
      List<Double> measured = rounds.stream().flatMap(round -> round.measurements().stream())
          .filter(measurement -> measurement.measure() == measure).map(Measurement::figure).sorted().toList();
      if (measured.isEmpty()) {
        found.add(measure + ": was not measured");
      } else if (!measure.guard().allows(page, Median.of(measured))) {
        found.add(deviation(measure, page, measured));
      }
    }
    return found;
  }

  private double figure(Measure measure) {
    return rows.stream().filter(row -> row.name().equals(measure.toString())).findFirst()
        .map(row -> row.figure(measure)).orElseThrow(() -> new IllegalStateException(measure + ": has no row"));
  }

  private static String deviation(Measure measure, double page, List<Double> measured) {
    double median = Median.of(measured);
    String unit = measure.isRatio() ? "" : " " + measure.unit();
    return measure + ": " + (measure.isRatio() ? "ratio " : "") + Measurement.shown(median) + unit + ", "
        + (median > page ? "more than 30 % above " : "more than 30 % below ") + Measurement.shown(page) + unit
        + " on the page (rounds: " + measured.stream().map(Measurement::shown).collect(Collectors.joining(", "))
        + "); mend it, or change docs/performance.md and say why in the commit";
  }
}
