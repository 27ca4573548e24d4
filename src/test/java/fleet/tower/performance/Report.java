package fleet.tower.performance;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

import fleet.tower.platform.json.JsonWriter;

/** The measurements of a run, each printed as soon as it is made. */
public final class Report {
  private final PrintStream out;
  private final List<Measurement> measurements = new ArrayList<>();

  public Report(PrintStream out) {
    this.out = out;
  }

  /** Adds a value without a baseline; a time in nanoseconds. */
  public void add(Measure measure, double value) {
    add(new Measurement(measure, measure.unit().of(value), Double.NaN, Double.NaN));
  }

  /** Adds a value with its baseline; times in nanoseconds. */
  public void add(Measure measure, double ours, double baseline, double ratio) {
    add(new Measurement(measure, measure.unit().of(ours), measure.unit().of(baseline), ratio));
  }

  private void add(Measurement measurement) {
    measurements.add(measurement);
    out.println(measurement.text());
  }

  /** Prints a sentence about the measurements. */
  public void note(String sentence) {
    out.println(sentence);
  }

  List<Measurement> measurements() {
    return measurements;
  }

  /** The document of all measurements, and the machine they are from. */
  public String json(JsonWriter machine) {
    return JsonWriter.block().put("machine", machine)
        .list("measurements", measurements.stream().map(measurement -> measurement.json().end()).toList()).end();
  }
}
