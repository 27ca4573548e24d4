package fleet.tower.performance;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Arrays;
import java.util.Locale;

import fleet.tower.platform.json.JsonWriter;

/** One measured value in the unit of its measure, with the baseline's and the ratio of both unless it has none (NaN). */
public record Measurement(Measure measure, double ours, double baseline, double ratio) {
  private static final int WIDTH = Arrays.stream(Measure.values()).mapToInt(measure -> measure.operation().length())
      .max().orElseThrow();

  /** What a limit and the page apply to. */
  double figure() {
    return measure.isRatio() ? ratio : ours;
  }

  /** A line with aligned columns. */
  String text() {
    String limit = measure.isLimited() ? "limit " + shown(measure.limit()) : "";
    String verdict = !measure.isLimited()
        ? ""
        : measure.isWithinLimit(figure()) ? "ok" : measure.unit().isBetterHigh() ? "UNDER" : "OVER";
    String compared = measure.isRatio() ? shown(baseline) + " " + measure.unit() + ", " + measure.baseline() : "";
    return String.format(Locale.ROOT, "%-" + WIDTH + "s %8s %-12s  %-11s  %-11s  %-5s  %s", measure.operation(),
        shown(ours), measure.unit(), measure.isRatio() ? "ratio " + shown(ratio) : "", limit, verdict, compared)
        .strip();
  }

  JsonWriter json() {
    return JsonWriter.line().put("group", measure.group().toString()).put("name", measure.operation())
        .put("unit", measure.unit().toString()).raw("ours", number(ours)).raw("baseline", number(baseline))
        .put("baseline_name", measure.isRatio() ? measure.baseline() : null).raw("ratio", number(ratio))
        .raw("limit", number(measure.limit())).put("within_limit", measure.isWithinLimit(figure()));
  }

  /** With about three digits, as on the page. */
  static String shown(double value) {
    return String.format(Locale.ROOT, value >= 100 ? "%,.0f" : value >= 10 ? "%.1f" : value >= 0.1 ? "%.2f" : "%.3f",
        value);
  }

  private static String number(double value) {
    return Double.isNaN(value)
        ? "null"
        : BigDecimal.valueOf(value).round(new MathContext(4)).stripTrailingZeros().toPlainString();
  }
}
