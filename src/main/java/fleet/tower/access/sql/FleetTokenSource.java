package fleet.tower.access.sql;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.TokenSource;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.time.Notices;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;

/**
 * The tokens of a fleet as this process knows them: read again when a change is announced, and once a second, by a
 * query for the number of the last change. While the database is unavailable, the last tokens apply, and an unknown
 * token is refused at once.
 *
 * <p>One check at a time queries the database. Unknown tokens trigger a limited number of checks per second, so they
 * put no load on it.
 */
final class FleetTokenSource implements TokenSource, Notices.Listener {
  /** The number of unknown tokens per second for which the database is queried at once. */
  static final int MOST_LOOKS = 10;
  private static final Duration BETWEEN_POLLS = Duration.ofMillis(900);
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);

  private final TokenTables tables;
  private final TimeSource time;
  private final Scheduler scheduler;
  private final Consumer<String> warnings;
  private volatile StoredTokens stored;
  private volatile boolean isAvailable = true;
  private @Nullable CompletableFuture<Boolean> running;
  private @Nullable CompletableFuture<Boolean> next;
  private long polledNanos;
  private long secondNanos;
  private int looksOfSecond;

  /** Reads the tokens; fails if the database is unavailable. */
  FleetTokenSource(TokenTables tables, TimeSource time, Scheduler scheduler, Consumer<String> warnings) {
    this.tables = tables;
    this.time = time;
    this.scheduler = scheduler;
    this.warnings = warnings;
    this.stored = tables.load();
    stored.unreadable().values().forEach(warnings);
    this.polledNanos = time.nanos();
    this.secondNanos = polledNanos;
  }

  @Override
  public TokenSource.Known known() {
    return stored.known();
  }

  @Override
  public TokenSource.Known renewed() {
    if (isAvailable && mayLook()) {
      CompletableFuture<Boolean> look = look().copy();
      Scheduler.Pending limit = scheduler.after(LONGEST_WAIT, () -> giveUp(look));
      look.join();
      limit.cancel();
    }
    return known();
  }

  /** Treats the database as unavailable, because it hangs, until a check succeeds. */
  private void giveUp(CompletableFuture<Boolean> look) {
    if (look.complete(false)) {
      isAvailable = false;
    }
  }

  private synchronized boolean mayLook() {
    long now = time.nanos();
    if (now - secondNanos >= Duration.ofSeconds(1).toNanos()) {
      secondNanos = now;
      looksOfSecond = 0;
    }
    return looksOfSecond++ < MOST_LOOKS;
  }

  @Override
  public TokenSource.Known renewedHere() {
    return known();
  }

  @Override
  public void refresh() {
    if (isTime()) {
      lookSoon();
    }
  }

  private void lookSoon() {
    CompletableFuture<Boolean> _ = look();
  }

  private synchronized boolean isTime() {
    return time.nanos() - polledNanos >= BETWEEN_POLLS.toNanos();
  }

  @Override
  public void changed(String subject) {
    lookSoon();
  }

  @Override
  public void missed() {
    lookSoon();
  }

  /**
   * A check that starts now or, if one is running, after it, so that it finds every change made before this call. Its
   * result is whether it ended before its caller gave up.
   */
  private synchronized CompletableFuture<Boolean> look() {
    polledNanos = time.nanos();
    if (running == null) {
      running = started(new CompletableFuture<>());
      return running;
    }
    if (next == null) {
      next = new CompletableFuture<>();
    }
    return next;
  }

  private CompletableFuture<Boolean> started(CompletableFuture<Boolean> look) {
    Thread.ofVirtual().name("tower-tokens").start(() -> {
      try {
        load();
      } finally {
        ended();
        look.complete(true);
      }
    });
    return look;
  }

  private synchronized void ended() {
    running = next == null ? null : started(next);
    next = null;
  }

  private void load() {
    try {
      StoredTokens before = stored;
      if (tables.version() != before.version()) {
        StoredTokens now = tables.load();
        stored = now;
        now.unreadable().values().stream().filter(it -> !before.unreadable().containsValue(it)).forEach(warnings);
      }
      isAvailable = true;
    } catch (StorageException | IllegalStateException unavailable) {
      // Reported once for all parts of the home; or this process has closed the database, because it ends.
      isAvailable = false;
    }
  }
}
