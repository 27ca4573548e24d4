package fleet.tower.service.mcp.tool;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

import fleet.tower.platform.StorageException;
import fleet.tower.platform.time.CachedValue;
import fleet.tower.platform.time.TimeSource;

/** How long the runs of each intent usually take, as known a minute ago at most. */
public final class UsualDurations {
  private static final Duration FRESH = Duration.ofMinutes(1);

  private final Function<String, Optional<Duration>> source;
  private final TimeSource time;
  private final Map<String, CachedValue<Optional<Duration>>> known = new ConcurrentHashMap<>();

  /** @param source finds the usual duration of an intent */
  public UsualDurations(Function<String, Optional<Duration>> source, TimeSource time) {
    this.source = source;
    this.time = time;
  }

  Optional<Duration> of(String intent) {
    return known.computeIfAbsent(intent, name -> new CachedValue<>(FRESH, _ -> read(name), time)).get();
  }

  private Optional<Duration> read(String intent) {
    try {
      return source.apply(intent);
    } catch (StorageException unknown) {
      // Tools are listed without it.
      return Optional.empty();
    }
  }
}
