package fleet.tower.lock.queue.file;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.queue.WaitQueue;
import fleet.tower.platform.disk.Errno;
import fleet.tower.platform.disk.Watches;
import fleet.tower.platform.presence.Presence;
import fleet.tower.platform.wait.WakeUp;

/**
 * The lines of all names of a lock directory.
 *
 * <p>A waiter is a file {@code .queue/<name>/<sequence>-<process>-<counter>} there. It counts as long as its process lives;
 * whoever finds one of a dead process removes it. Whoever finds his own removed joins again. What wakes the first in a line is
 * the kernel's notice that a lock file, or a freeze, is gone, whoever removed it and with whatever program; what wakes the
 * others is that the ticket before theirs is no longer kept locked.
 */
final class FileWaitQueue implements WaitQueue, Watches.Listener {
  static final String QUEUE = ".queue";
  private static final String LOCK_SUFFIX = ".lock";
  private static final String FREEZE_PREFIX = ".";
  private static final String FREEZE_SUFFIX = ".freeze";

  private final Path locks;
  private final Presence presence;
  private final Consumer<String> warnings;
  private final Map<LeaseName, Hearing> inUse = new ConcurrentHashMap<>();
  /** Guarded by this; null while nobody waits, or nothing can be heard. */
  private Watches.@Nullable Subscription releases;
  private volatile boolean deaf;
  private boolean warned;

  FileWaitQueue(Path locks, Presence presence, Consumer<String> warnings) {
    this.locks = locks;
    this.presence = presence;
    this.warnings = warnings;
  }

  /** The part of the line of one name that this process has, as long as it has one, and what it hears. */
  private final class Hearing implements NameQueue.Ears {
    private final LeaseName name;
    private final NameQueue line;
    private int users;

    Hearing(LeaseName name) {
      this.name = name;
      this.line = new NameQueue(ticketsOf(name), presence, this);
    }

    @Override
    public void open() {
      if (deaf) {
        return;
      }
      try {
        listenToReleases();
      } catch (NoSuchFileException | NotDirectoryException removedMeanwhile) {
        // The next look creates the tickets again and listens again.
      } catch (IOException e) {
        goDeaf(e);
      }
    }

    @Override
    public boolean areOpen() {
      return !deaf;
    }

    @Override
    public void left() {
      leave(name);
    }
  }

  @Override
  public Joined join(LeaseName name, RequestId who, WakeUp bell) {
    Hearing hearing = enter(name);
    boolean isIn = false;
    try {
      Joined joined = hearing.line.join(who, bell);
      isIn = joined instanceof Joined.At;
      return joined;
    } catch (IOException e) {
      throw ticketsOf(name).unusable(e);
    } finally {
      if (!isIn) {
        leave(name);
      }
    }
  }

  @Override
  public int length(LeaseName name) {
    TicketDirectory tickets = ticketsOf(name);
    try {
      Map<String, Boolean> known = new HashMap<>();
      return (int) tickets.list().stream()
          .filter(ticket -> known.computeIfAbsent(ticket.process(), presence::isAlive)).count();
    } catch (IOException e) {
      throw tickets.unusable(e);
    }
  }

  @Override
  public void created(String file) {
    // A lock that is taken is good news for nobody who waits.
  }

  @Override
  public void deleted(String file) {
    if (file.endsWith(LOCK_SUFFIX)) {
      released(file.substring(0, file.length() - LOCK_SUFFIX.length()));
    } else if (file.startsWith(FREEZE_PREFIX) && file.endsWith(FREEZE_SUFFIX)) {
      released(file.substring(FREEZE_PREFIX.length(), Math.max(1, file.length() - FREEZE_SUFFIX.length())));
    }
  }

  private void released(String name) {
    Hearing hearing = LeaseName.isValid(name) ? inUse.get(new LeaseName(name)) : null;
    if (hearing != null) {
      hearing.line.released();
    }
  }

  @Override
  public void missed() {
    inUse.values().forEach(hearing -> hearing.line.lookAgain());
  }

  private TicketDirectory ticketsOf(LeaseName name) {
    return new TicketDirectory(locks.resolve(QUEUE).resolve(name.value()));
  }

  private synchronized Hearing enter(LeaseName name) {
    Hearing hearing = inUse.computeIfAbsent(name, Hearing::new);
    hearing.users++;
    return hearing;
  }

  private synchronized void leave(LeaseName name) {
    Hearing hearing = inUse.get(name);
    if (hearing != null && --hearing.users == 0) {
      inUse.remove(name);
    }
    if (inUse.isEmpty()) {
      deaf = false;
      stopListeningToReleases();
    }
  }

  private synchronized void listenToReleases() throws IOException {
    Watches.Subscription open = releases;
    if (open == null || !open.isValid()) {
      stopListeningToReleases();
      releases = Watches.listenToDeletions(locks, this);
    }
  }

  private synchronized void stopListeningToReleases() {
    Watches.Subscription open = releases;
    releases = null;
    if (open != null) {
      open.close();
    }
  }

  /** Those who wait look more often then. */
  private synchronized void goDeaf(IOException reason) {
    deaf = true;
    if (!warned) {
      warned = true;
      warnings.accept("changes in " + locks + " cannot be watched, so waiting looks often instead: "
          + Errno.describe(reason) + "; raise fs.inotify.max_user_instances and fs.inotify.max_user_watches");
    }
  }
}
