package fleet.tower.service.call.overview;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.LeaseName;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.time.TimeSource;

/**
 * Looks at the sources of the overview as often as their cost permits.
 *
 * <p>A source is read every second, and after a signal at most five times a second. Together, all sources are read at
 * most a twentieth of the time: a source of cost <i>c</i> is read at intervals of at least 20 √<i>c</i> Σ√<i>c</i>,
 * which is the allocation with the least sum of intervals. Between two reads of an expensive source, the locks of
 * signals are read one by one. A cost is the lesser of the last two, so that one slow read, such as the first, does not
 * count.
 *
 * <p>Not thread-safe.
 */
final class OverviewLook {
  static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);
  static final Duration AFTER_SIGNAL = Duration.ofMillis(200);
  private static final double INVERSE_SHARE = 20;

  private final List<Watched> sources;
  private final TimeSource time;

  OverviewLook(List<OverviewSource> sources, TimeSource time) {
    this.sources = sources.stream().map(Watched::new).toList();
    this.time = time;
  }

  /** A source and its rows. */
  private final class Watched {
    private final OverviewSource source;
    private OverviewSource.Rows rows;
    private @Nullable String problem;
    private @Nullable Instant readAt;
    private long begunNanos;
    private long lastCostNanos;
    private long costNanos;
    private boolean isChanged;

    Watched(OverviewSource source) {
      this.source = source;
      this.rows = OverviewSource.Rows.empty(source.sections());
    }

    void read() {
      Instant now = time.now();
      begunNanos = time.nanos();
      isChanged = false;
      try {
        rows = source.read().sharedWith(rows);
        readAt = now;
        problem = null;
      } catch (StorageException e) {
        problem = e.publicMessage();
      } catch (UncheckedIOException e) {
        problem = String.valueOf(e.getMessage());
      }
      long cost = time.nanos() - begunNanos;
      costNanos = Math.min(cost, lastCostNanos);
      lastCostNanos = cost;
    }

    void refresh(Set<LeaseName> locks) {
      try {
        rows = source.refresh(rows, locks).sharedWith(rows);
      } catch (StorageException | UncheckedIOException tooEarly) {
        // The next read reports it, if it lasts.
        isChanged = true;
      }
    }

    long dueNanos() {
      Duration least = isChanged ? AFTER_SIGNAL : BETWEEN_LOOKS;
      return begunNanos + Math.max(least.toNanos(), affordable());
    }

    private long affordable() {
      return (long) (INVERSE_SHARE * root() * roots());
    }

    double root() {
      return Math.sqrt((double) costNanos);
    }

    boolean isUnread() {
      return lastCostNanos == 0 && readAt == null && problem == null;
    }
  }

  private double roots() {
    return sources.stream().mapToDouble(Watched::root).sum();
  }

  /** Reads the sources that are due. */
  OverviewState look(OverviewSignals.Changes changes) {
    sources.forEach(each -> each.isChanged |= changes.isAny());
    for (Watched each : sources) {
      if (each.isUnread() || time.nanos() - each.dueNanos() >= 0) {
        each.read();
      } else if (!changes.locks().isEmpty()) {
        each.refresh(changes.locks());
      }
    }
    return state();
  }

  /** Reads all sources. */
  OverviewState lookAtAll() {
    sources.forEach(Watched::read);
    return state();
  }

  /** The time until the next source is due; not negative. */
  Duration untilDue() {
    long now = time.nanos();
    return Duration.ofNanos(sources.stream().mapToLong(each -> Math.max(0, each.dueNanos() - now)).min().orElse(0));
  }

  private OverviewState state() {
    Map<String, Map<String, String>> sections = new LinkedHashMap<>();
    Set<String> truncated = new LinkedHashSet<>();
    Map<String, String> problems = new LinkedHashMap<>();
    for (Watched each : sources) {
      sections.putAll(each.rows.sections());
      truncated.addAll(each.rows.truncated());
      String problem = each.problem;
      if (problem != null) {
        each.source.sections().forEach(name -> problems.put(name, problem));
      }
    }
    return new OverviewState(asOf(), Collections.unmodifiableMap(sections), truncated, problems);
  }

  /** The oldest read of the readable sources; if none is readable, of all. */
  private Instant asOf() {
    return oldest(sources.stream().filter(each -> each.problem == null)).or(() -> oldest(sources.stream()))
        .orElseGet(time::now);
  }

  private static Optional<Instant> oldest(Stream<Watched> sources) {
    return sources.map(each -> each.readAt).filter(Objects::nonNull).min(Instant::compareTo);
  }
}
