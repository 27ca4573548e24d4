package fleet.tower.performance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("The page about performance is what bin/bench --check compares with")
class PerformancePageTest {
  private static final Path BASE = Path.of(System.getProperty("project.basedir", "")).toAbsolutePath();
  private static final Path FILE = BASE.resolve("docs/performance.md");
  private static final String ROW = "| a heartbeat | 22.7 µs | 80.3 µs, temporary file and rename | 0.28 | `bin/bench lock` |";

  @Test
  @DisplayName("The page and the measures are about the same, in the same words")
  void realPage() throws IOException {
    PerformancePage page = PerformancePage.read(FILE);
    assertThat(page.differences()).isEmpty();
    long rows = Files.readString(FILE).lines().filter(line -> line.endsWith("` |") && line.contains("`bin/bench "))
        .count();
    assertThat(page.rows()).hasSize((int) rows).hasSizeGreaterThan(30);
  }

  @Test
  @DisplayName("The benchmarks report every measure")
  void everyMeasureIsReported() throws IOException {
    StringBuilder benchmarks = new StringBuilder();
    try (Stream<Path> files = Files.walk(BASE.resolve("src/bench/java"))) {
      for (Path file : files.filter(file -> file.toString().endsWith(".java")).toList()) {
        benchmarks.append(Files.readString(file));
      }
    }
    assertThat(Measure.values())
        .allSatisfy(measure -> assertThat(benchmarks).containsPattern("Measure\\." + measure.name() + "\\b"));
  }

  @Test
  @DisplayName("A row is its cells; other lines are not rows")
  void rows() {
    PerformancePage page = PerformancePage.of("""
        | Operation | Time | Baseline | Ratio | Command |
        |---|---|---|---|---|
        %s
        | 8 acquires | 1,213 µs | | | `bin/bench lock` |
        | statements a second of one idle service | 4.3 | | | `log_statement = all`, 30 s |
        Measure with `bin/bench lock`.
        """.formatted(ROW));
    assertThat(page.rows()).containsExactly(
        new PerformancePage.Row("lock", "a heartbeat", "22.7 µs", "80.3 µs, temporary file and rename", "0.28"),
        new PerformancePage.Row("lock", "8 acquires", "1,213 µs", "", ""));
    assertThat(page.rows().getFirst().figure(Measure.HEARTBEAT)).isEqualTo(0.28);
    assertThat(page.rows().getLast().figure(Measure.LOOK)).isEqualTo(1213);
    assertThat(page.rows().getLast().figure(Measure.IDLE)).isNaN();
  }

  @Test
  @DisplayName("A row that nothing measures, a guarded measure without a row, and a second row are differences")
  void differences() throws IOException {
    String text = Files.readString(FILE);
    assertThat(text).contains(ROW);
    assertThat(PerformancePage.of(text.replace(ROW, ROW.replace("heartbeat", "beat"))).differences())
        .containsExactly("lock: a beat: nothing measures this row", "lock: a heartbeat: is guarded, but has no row");
    assertThat(PerformancePage.of(text + ROW).differences()).containsExactly("lock: a heartbeat: has two rows");
  }

  @ParameterizedTest
  @CsvSource({"22.7 µs,22.7 ms", "80.3 µs,80.3 ms", "22.7 µs,µs", "'80.3 µs, temporary','80.3 µs, another'", "0.28,"})
  @DisplayName("A row with another unit or baseline, or without its ratio, is a difference")
  void cells(String cell, String other) throws IOException {
    String row = ROW.replace(cell, other == null ? "" : other);
    assertThat(PerformancePage.of(Files.readString(FILE).replace(ROW, row)).differences()).containsExactly(
        "lock: a heartbeat: the row must have a value in µs, a ratio, and the baseline 'temporary file and rename'"
            + " in the same unit");
  }

  @Test
  @DisplayName("The median of the rounds may differ from the page by 30 %, in either direction")
  void around() {
    assertThat(ofHeartbeats(0.28, 0.37, 0.35)).isEmpty();
    assertThat(ofHeartbeats(0.20, 0.20, 0.90)).isEmpty();
    assertThat(ofHeartbeats(0.50, 0.37, 0.28)).containsExactly("lock: a heartbeat: ratio 0.37, more than 30 % above"
        + " 0.28 on the page (rounds: 0.28, 0.37, 0.50); mend it, or change docs/performance.md and say why in the commit");
    assertThat(ofHeartbeats(0.19, 0.18, 0.28)).containsExactly("lock: a heartbeat: ratio 0.19, more than 30 % below"
        + " 0.28 on the page (rounds: 0.18, 0.19, 0.28); mend it, or change docs/performance.md and say why in the commit");
  }

  @Test
  @DisplayName("Memory and the ratio of a start may be lower than on the page, but not 30 % higher")
  void above() {
    PerformancePage page = PerformancePage.of("""
        | memory of an idle service, right after its start | 162 MiB | | | `bin/bench http` |
        """);
    assertThat(deviations(page, Measure.IDLE, 90, Double.NaN)).isEmpty();
    assertThat(deviations(page, Measure.IDLE, 210, Double.NaN)).isEmpty();
    assertThat(deviations(page, Measure.IDLE, 211, Double.NaN)).containsExactly(
        "http: memory of an idle service, right after its start: 211 MiB, more than 30 % above 162 MiB on the page"
            + " (rounds: 211); mend it, or change docs/performance.md and say why in the commit");
    PerformancePage start = PerformancePage
        .of("""
            | `tower serve`, start to first answer | 1.04 s | 0.87 s, a bare Spring Boot application | 1.18 | `bin/bench serve` |
            """);
    assertThat(deviations(start, Measure.START, 1e9, 0.5)).isEmpty();
    assertThat(deviations(start, Measure.START, 1e9, 1.54)).hasSize(1);
  }

  @Test
  @DisplayName("A guarded measure that no round has is a deviation; those of other groups are not looked for")
  void notMeasured() throws IOException {
    PerformancePage page = PerformancePage.read(FILE);
    assertThat(page.deviations(EnumSet.of(Group.RUNS), List.of(report()))).containsExactly(
        "runs: the record of a run, begun and finished durably: was not measured");
    assertThat(page.deviations(EnumSet.of(Group.NOTICES), List.of(report()))).isEmpty();
  }

  private static List<String> ofHeartbeats(double... ratios) {
    return deviations(PerformancePage.of(ROW), Measure.HEARTBEAT, 1000, ratios);
  }

  /** The deviations of one measure, with one round for each ratio. */
  private static List<String> deviations(PerformancePage page, Measure measure, double value, double... ratios) {
    List<Report> rounds = new ArrayList<>();
    for (double ratio : ratios) {
      Report report = report();
      report.add(measure, value, value / ratio, ratio);
      rounds.add(report);
    }
    return page.deviations(List.of(measure), rounds);
  }

  private static Report report() {
    return new Report(new PrintStream(OutputStream.nullOutputStream()));
  }
}
