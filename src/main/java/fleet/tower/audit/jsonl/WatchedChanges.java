package fleet.tower.audit.jsonl;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.disk.Errno;
import fleet.tower.platform.disk.Watches;
import fleet.tower.platform.time.Scheduler;

/**
 * Changes reported by the kernel's file watches. A slow poll covers what they do not report: writes of other
 * machines, and readers that stop. Without a directory or a watch, it polls fast.
 */
final class WatchedChanges implements JsonlAuditTrail.Changes, Watches.Listener {
  private static final Duration POLL_INTERVAL = Duration.ofMillis(50);
  private static final Duration WATCHED_POLL_INTERVAL = Duration.ofMillis(500);

  private final Path directory;
  private final Scheduler scheduler;
  private final Consumer<String> warnings;
  private final Semaphore changed = new Semaphore(0);
  private Watches.@Nullable Subscription subscription;
  private boolean isUnwatchable;

  WatchedChanges(Path directory, Scheduler scheduler, Consumer<String> warnings) {
    this.directory = directory;
    this.scheduler = scheduler;
    this.warnings = warnings;
    listen();
  }

  @Override
  public void await() {
    Watches.Subscription open = subscription;
    if (open == null || !open.isValid()) {
      close();
      if (!listen()) {
        scheduler.pause(POLL_INTERVAL);
      }
      // Lines written before the watch started are found by a read now.
      return;
    }
    Scheduler.Pending poll = scheduler.after(WATCHED_POLL_INTERVAL, changed::release);
    changed.acquireUninterruptibly();
    poll.cancel();
    changed.drainPermits();
  }

  @Override
  public void close() {
    Watches.Subscription open = subscription;
    subscription = null;
    if (open != null) {
      open.close();
    }
  }

  private boolean listen() {
    if (isUnwatchable) {
      return false;
    }
    try {
      subscription = Watches.listenToContents(directory, this);
      return true;
    } catch (NoSuchFileException | NotDirectoryException nothingYet) {
      return false;
    } catch (IOException e) {
      isUnwatchable = true;
      warnings.accept("changes in " + directory + " cannot be watched, so the log is polled instead: "
          + Errno.describe(e) + "; raise fs.inotify.max_user_instances and fs.inotify.max_user_watches");
      return false;
    }
  }

  @Override
  public void created(String file) {
    changed.release();
  }

  @Override
  public void deleted(String file) {
    changed.release();
  }

  @Override
  public void modified(String file) {
    changed.release();
  }

  @Override
  public void missed() {
    changed.release();
  }
}
