package fleet.tower.mcp;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import fleet.tower.harness.Await;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The verdicts of the conformance suite about a server, by scenario. */
record ConformanceRun(Map<String, Verdict> verdicts) {
  private static final Duration LIMIT = Duration.ofMinutes(10);
  private static final Pattern RESULT = Pattern.compile("server-(.*)-\\d{4}-\\d\\d-\\d\\dT[\\d-]+Z");

  /**
   * The verdict of a scenario.
   *
   * @param failed the ids of the failed checks
   * @param reasons why, for people
   */
  record Verdict(int passed, List<String> failed, List<String> skipped, List<String> reasons) {}

  /** Runs all scenarios of a revision's requirements. */
  static ConformanceRun of(NodeTools tools, String revision, String url, Path directory) {
    try {
      Path log = Files.createDirectories(directory).resolve(revision + ".log");
      Path results = directory.resolve(revision);
      Await.exitOf(new ProcessBuilder(tools.conformance("server", "--url", url, "--requirements", revision, "-o",
          results.toString())).redirectErrorStream(true).redirectOutput(log.toFile()).start(), LIMIT);
      Map<String, Verdict> verdicts = new TreeMap<>();
      try (Stream<Path> scenarios = Files.list(results)) {
        for (Path scenario : scenarios.toList()) {
          Matcher name = RESULT.matcher(scenario.getFileName().toString());
          if (name.matches()) {
            verdicts.put(name.group(1), verdict(scenario.resolve("checks.json")));
          }
        }
      }
      return new ConformanceRun(verdicts);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The verdicts of another run, but for those of this one that are to be kept. */
  ConformanceRun replacedBy(ConformanceRun later, Predicate<String> kept) {
    Map<String, Verdict> all = new TreeMap<>(later.verdicts);
    verdicts.forEach((name, verdict) -> {
      if (kept.test(name)) {
        all.put(name, verdict);
      }
    });
    return new ConformanceRun(all);
  }

  private static Verdict verdict(Path checks) throws IOException {
    int passed = 0;
    TreeSet<String> failed = new TreeSet<>();
    TreeSet<String> skipped = new TreeSet<>();
    List<String> reasons = new ArrayList<>();
    if (Files.notExists(checks)) {
      failed.add("timeout");
    }
    for (JsonNode check : Files.exists(checks)
        ? JsonMapper.shared().readTree(Files.readString(checks))
        : List
            .<JsonNode>of()) {
      String id = check.path("id").asString();
      switch (check.path("status").asString()) {
        case "SUCCESS" -> passed++;
        case "FAILURE" -> failed.add(id);
        default -> skipped.add(id);
      }
      if (check.path("status").asString().equals("FAILURE")) {
        reasons.add(id + " (" + check.path("name").asString() + "): " + check.path("errorMessage").asString());
      }
    }
    return new Verdict(passed, List.copyOf(failed), List.copyOf(skipped), List.copyOf(reasons));
  }
}
