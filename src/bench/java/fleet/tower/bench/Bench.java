package fleet.tower.bench;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import fleet.tower.performance.Group;
import fleet.tower.performance.PerformancePage;
import fleet.tower.performance.Report;
import fleet.tower.platform.json.JsonWriter;

/**
 * The entry point of {@code bin/bench [--json|--check] [GROUP …]}: measures the named groups and prints lines or a JSON
 * document, or measures them three times and compares them with {@code docs/performance.md}.
 */
public final class Bench {
  private static final Path PROJECT = Path.of(System.getProperty("project.basedir", ".")).toAbsolutePath();
  private static final Path PLACE = Path
      .of(System.getProperty("bench.directory", PROJECT.resolve("target").toString()));
  private static final Path TOWER = PROJECT.resolve("bin/tower");
  private static final int ROUNDS_OF_CHECK = 3;

  private Bench() {}

  /** Exits with 1 if the check finds a deviation, with 2 if the arguments are wrong. */
  public static void main(String[] arguments) throws Exception {
    List<String> names = new ArrayList<>(List.of(arguments));
    String mode = !names.isEmpty() && names.getFirst().startsWith("--") ? names.removeFirst() : "";
    Set<Group> groups;
    try {
      groups = Group.named(names, offered(mode));
    } catch (IllegalArgumentException e) {
      System.err.println("bench: " + e.getMessage());
      System.exit(2);
      return;
    }
    PrintStream out = System.out;
    // The log of a PostgreSQL server is no part of a document.
    System.setOut(System.err);
    System.exit(run(mode, groups, out));
  }

  private static Set<Group> offered(String mode) {
    return switch (mode) {
      case "", "--json" -> EnumSet.allOf(Group.class);
      case "--check" -> Group.guarded();
      default -> throw new IllegalArgumentException("no option '" + mode + "'; there are --json and --check");
    };
  }

  private static int run(String mode, Set<Group> groups, PrintStream out) throws Exception {
    Files.createDirectories(PLACE);
    if (mode.equals("--json")) {
      Report report = measure(groups, new PrintStream(OutputStream.nullOutputStream()));
      out.println(report.json(JsonWriter.line().put("file_system", Files.getFileStore(PLACE).type())
          .put("processors", Runtime.getRuntime().availableProcessors())
          .put("java", Runtime.version().toString())));
      return 0;
    }
    out.println("measured on " + Files.getFileStore(PLACE).type() + ", "
        + Runtime.getRuntime().availableProcessors() + " processors, Java " + Runtime.version());
    if (mode.isEmpty()) {
      measure(groups, out);
      return 0;
    }
    List<Report> rounds = new ArrayList<>();
    for (int round = 1; round <= ROUNDS_OF_CHECK; round++) {
      out.println("round " + round + " of " + ROUNDS_OF_CHECK);
      rounds.add(measure(groups, out));
    }
    List<String> deviations = PerformancePage.read(PROJECT.resolve("docs/performance.md")).deviations(groups, rounds);
    deviations.forEach(out::println);
    out.println(deviations.isEmpty() ? "as on the page" : deviations.size() + " not as on the page");
    return deviations.isEmpty() ? 0 : 1;
  }

  /** Uses a new directory, which it removes. */
  private static Report measure(Set<Group> groups, PrintStream out) throws Exception {
    Report report = new Report(out);
    Path base = Files.createTempDirectory(PLACE, "bench");
    try {
      for (Group group : groups) {
        measure(group, base, report);
      }
    } finally {
      delete(base);
    }
    return report;
  }

  private static void measure(Group group, Path base, Report report) throws Exception {
    switch (group) {
      case LOCK -> new LockBench(base).run(report);
      case HANDOVER -> new HandoverBench(base).run(report);
      case COMMAND -> new CommandBench(base, PROJECT).run(report);
      case HELD -> new HeldLocksBench(base.resolve("held")).run(report);
      case RUNS -> new RunsBench(base).run(report);
      case STEPS -> new StepsBench(base).run(report);
      case SERVE -> new ServeBench(base, PROJECT).run(report);
      case HTTP -> new HttpBench(base, TOWER).run(report);
      case TASKS -> new TasksBench(base).run(report);
      case MAILBOX -> new MailboxBench(base).run(report);
      case NOTICES -> new NoticesBench().run(report);
      case FLEET -> new FleetLockBench().run(report);
      case SERVICES -> new ServicesBench(base, TOWER).run(report);
      case ELSEWHERE -> new ElsewhereBench(base, TOWER).run(report);
    }
  }

  private static void delete(Path base) throws IOException {
    try (Stream<Path> files = Files.walk(base)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
