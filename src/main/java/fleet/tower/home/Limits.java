package fleet.tower.home;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import fleet.tower.home.retention.Ages;
import fleet.tower.lease.RenewalSchedule;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.time.TimeSpans;
import fleet.tower.run.process.StepProcesses;

/**
 * How much a home takes, as its settings say.
 *
 * @param runs so many at the same time in one process
 * @param outputBytes of one step that are kept
 * @param ages for how long what has ended is kept
 */
record Limits(int runs, long outputBytes, Ages ages) {
  static final int DEFAULT_RUNS = 2_000;
  private static final Duration SHORTEST_INTERVAL = Duration.ofSeconds(1);
  private static final int MOST_RUNS = 10_000;
  private static final Pattern SIZE = Pattern.compile("(\\d{1,15})(B|KB|MB|GB)?");
  private static final Map<String, Long> UNITS = Map.of("KB", 1L << 10, "MB", 1L << 20, "GB", 1L << 30);

  /** Reads them from settings by the names of their environment variables. */
  static Limits of(Function<String, Optional<String>> setting) {
    Ages usual = Ages.DEFAULT;
    return new Limits(
        either(setting, "TOWER_RUNS_MAX_CONCURRENT", "TOWER_RUNS_MAXCONCURRENT").map(Limits::count)
            .orElse(DEFAULT_RUNS),
        either(setting, "TOWER_RUNS_MAX_OUTPUT_PER_STEP", "TOWER_RUNS_MAXOUTPUTPERSTEP").map(Limits::bytes)
            .orElse(StepProcesses.DEFAULT_MAX_LOG_BYTES),
        new Ages(setting.apply("TOWER_RETENTION_RUNS").map(text -> age("TOWER_RETENTION_RUNS", text))
            .orElse(usual.runs()),
            setting.apply("TOWER_RETENTION_AUDIT").map(text -> age("TOWER_RETENTION_AUDIT", text))
                .orElse(usual.audit())));
  }

  /** Between two heartbeats of one lock or claim, at most. */
  static Duration interval(Function<String, Optional<String>> setting) {
    String text = either(setting, "TOWER_HEARTBEAT_MAX_INTERVAL", "TOWER_HEARTBEAT_MAXINTERVAL").orElse("30s");
    return TimeSpans.parse(text).filter(interval -> interval.compareTo(SHORTEST_INTERVAL) >= 0
        && interval.compareTo(RenewalSchedule.DEFAULT_MAX_INTERVAL) <= 0)
        .orElseThrow(() -> invalid("TOWER_HEARTBEAT_MAX_INTERVAL", text, "1s to 30s"));
  }

  /** Whether locks may leave this host's files for the database of a fleet. */
  static boolean areLocksInDatabase(Function<String, Optional<String>> setting) {
    String store = setting.apply("TOWER_LOCK_STORE").orElse("");
    return switch (store) {
      case "", "database" -> true;
      case "file" -> false;
      default -> throw new InvalidValue(InvalidValue.Kind.REQUEST, "TOWER_LOCK_STORE is " + InvalidValue.shown(store)
          + "; it may be file or database, or left out: then locks are in PostgreSQL if TOWER_DATABASE_URL names one");
    };
  }

  /** Whether every renewal of a lock is an event of the audit log. */
  static boolean auditsRenewals(Function<String, Optional<String>> setting) {
    String text = setting.apply("TOWER_AUDIT_RENEWALS").orElse("false");
    return switch (text) {
      case "true" -> true;
      case "false" -> false;
      default -> throw invalid("TOWER_AUDIT_RENEWALS", text, "true or false");
    };
  }

  private static Optional<String> either(Function<String, Optional<String>> setting, String name, String spring) {
    return setting.apply(name).or(() -> setting.apply(spring));
  }

  private static int count(String text) {
    int count = text.matches("\\d{1,6}") ? Integer.parseInt(text) : 0;
    if (count < 1 || count > MOST_RUNS) {
      throw invalid("TOWER_RUNS_MAX_CONCURRENT", text, "1 to " + MOST_RUNS);
    }
    return count;
  }

  private static long bytes(String text) {
    Matcher size = SIZE.matcher(text);
    long factor = size.matches() ? UNITS.getOrDefault(String.valueOf(size.group(2)), 1L) : 0;
    long number = factor == 0 ? 0 : Long.parseLong(size.group(1));
    if (number < 1 || number > (1L << 50) / factor) {
      throw invalid("TOWER_RUNS_MAX_OUTPUT_PER_STEP", text, "a number of bytes like 500MB or 1GB");
    }
    return number * factor;
  }

  private static Duration age(String name, String text) {
    return TimeSpans.parse(text).orElseThrow(() -> invalid(name, text, "a time span like 90d, or 0 to keep all"));
  }

  private static InvalidValue invalid(String name, String text, String allowed) {
    return new InvalidValue(InvalidValue.Kind.REQUEST, name + " is '" + text + "'; it may be " + allowed
        + ", or left out");
  }
}
