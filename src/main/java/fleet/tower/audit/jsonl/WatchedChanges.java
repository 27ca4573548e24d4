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
 * Changes as the kernel tells them. A slow look stands behind it, for what is not told: other machines' writes, and that a
 * reader wants no more. Without a directory, or without a watch to be had, one looks often.
 */
final class WatchedChanges implements Changes, Watches.Listener {
  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(50);
  private static final Duration LONGEST_SILENCE = Duration.ofMillis(500);

  private final Path directory;
  private final Scheduler scheduler;
  private final Consumer<String> warnings;
  private final Semaphore bell = new Semaphore(0);
  private Watches.@Nullable Subscription subscription;
  private boolean isDeaf;

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
        scheduler.pause(BETWEEN_LOOKS);
      }
      // What was written before the watch is found by a look now.
      return;
    }
    Scheduler.Pending look = scheduler.after(LONGEST_SILENCE, bell::release);
    bell.acquireUninterruptibly();
    look.cancel();
    bell.drainPermits();
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
    if (isDeaf) {
      return false;
    }
    try {
      subscription = Watches.listenToContents(directory, this);
      return true;
    } catch (NoSuchFileException | NotDirectoryException nothingYet) {
      return false;
    } catch (IOException e) {
      isDeaf = true;
      warnings.accept("changes in " + directory + " cannot be watched, so following looks often instead: "
          + Errno.describe(e) + "; raise fs.inotify.max_user_instances and fs.inotify.max_user_watches");
      return false;
    }
  }

  @Override
  public void created(String file) {
    bell.release();
  }

  @Override
  public void deleted(String file) {
    bell.release();
  }

  @Override
  public void modified(String file) {
    bell.release();
  }

  @Override
  public void missed() {
    bell.release();
  }
}
