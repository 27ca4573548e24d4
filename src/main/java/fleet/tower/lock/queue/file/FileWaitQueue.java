package fleet.tower.lock.queue.file;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.LeaseName;
import fleet.tower.lock.queue.WaitQueue;
import fleet.tower.lock.queue.WaitQueue.WaitingRequest;
import fleet.tower.platform.Presence;
import fleet.tower.platform.disk.Errno;
import fleet.tower.platform.disk.Watches;
import fleet.tower.platform.time.WakeUp;

/**
 * The wait queues of a lock directory.
 *
 * <p>A waiter is a file {@code .queue/<name>/<sequence>-<process>-<counter>}. It counts while its process lives; any
 * process removes the files of dead ones. A waiter whose file was removed joins again. The first waiter is woken by the
 * kernel's notification that a lock or freeze file was removed, by whatever program; the others are woken when the lock
 * on the ticket before theirs is released.
 */
final class FileWaitQueue implements WaitQueue, Watches.Listener {
  static final String QUEUE = ".queue";
  private static final String LOCK_SUFFIX = ".lock";
  private static final String FREEZE_PREFIX = ".";
  private static final String FREEZE_SUFFIX = ".freeze";

  private final Path locks;
  private final Presence presence;
  private final Consumer<String> warnings;
  private final Map<LeaseName, UsedQueue> inUse = new ConcurrentHashMap<>();
  /** Guarded by this; null while there are no waiters, or the directory cannot be watched. */
  private Watches.@Nullable Subscription releases;
  private volatile boolean unwatchable;
  private boolean warned;

  FileWaitQueue(Path locks, Presence presence, Consumer<String> warnings) {
    this.locks = locks;
    this.presence = presence;
    this.warnings = warnings;
  }

  /** This process' part of a name's queue, and its watch for releases. */
  private final class UsedQueue implements FileNameQueue.ReleaseWatch {
    private final LeaseName name;
    private final FileNameQueue queue;
    private int users;

    UsedQueue(LeaseName name) {
      this.name = name;
      this.queue = new FileNameQueue(ticketsOf(name), presence, this);
    }

    @Override
    public void open() {
      if (unwatchable) {
        return;
      }
      try {
        watchReleases();
      } catch (NoSuchFileException | NotDirectoryException removedMeanwhile) {
        // The next check recreates the tickets and the watch.
      } catch (IOException e) {
        poll(e);
      }
    }

    @Override
    public boolean isOpen() {
      return !unwatchable;
    }

    @Override
    public void left() {
      leave(name);
    }
  }

  @Override
  public JoinOutcome join(LeaseName name, WaitingRequest request, WakeUp wakeUp) {
    UsedQueue used = enter(name);
    boolean isQueued = false;
    try {
      JoinOutcome joined = used.queue.join(request, wakeUp);
      isQueued = joined instanceof JoinOutcome.Joined;
      return joined;
    } catch (IOException e) {
      throw ticketsOf(name).unusable(e);
    } finally {
      if (!isQueued) {
        leave(name);
      }
    }
  }

  @Override
  public int length(LeaseName name) {
    return living(ticketsOf(name)).size();
  }

  @Override
  public List<WaitingRequest> list(LeaseName name) {
    TicketDirectory tickets = ticketsOf(name);
    List<WaitingRequest> waiting = new ArrayList<>();
    for (Ticket ticket : living(tickets)) {
      try {
        tickets.read(ticket).ifPresent(waiting::add);
      } catch (IOException e) {
        throw tickets.unusable(e);
      }
    }
    return waiting;
  }

  private List<Ticket> living(TicketDirectory tickets) {
    try {
      Map<String, Boolean> known = new HashMap<>();
      return tickets.list().stream()
          .filter(ticket -> known.computeIfAbsent(ticket.process(), presence::isAlive)).toList();
    } catch (IOException e) {
      throw tickets.unusable(e);
    }
  }

  @Override
  public Set<LeaseName> names() {
    try (Stream<Path> directories = Files.list(locks.resolve(QUEUE))) {
      return directories.map(directory -> directory.getFileName().toString()).filter(LeaseName::isValid)
          .map(LeaseName::new).collect(Collectors.toSet());
    } catch (NoSuchFileException | NotDirectoryException noWaiters) {
      return Set.of();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot list the wait queues in " + locks + ": " + Errno.describe(e), e);
    }
  }

  @Override
  public void created(String file) {
    // A new lock does not help any waiter.
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
    UsedQueue used = LeaseName.isValid(name) ? inUse.get(new LeaseName(name)) : null;
    if (used != null) {
      used.queue.released();
    }
  }

  @Override
  public void missed() {
    inUse.values().forEach(used -> used.queue.refresh());
  }

  private TicketDirectory ticketsOf(LeaseName name) {
    return new TicketDirectory(locks.resolve(QUEUE).resolve(name.value()));
  }

  private synchronized UsedQueue enter(LeaseName name) {
    UsedQueue used = inUse.computeIfAbsent(name, UsedQueue::new);
    used.users++;
    return used;
  }

  private synchronized void leave(LeaseName name) {
    UsedQueue used = inUse.get(name);
    if (used != null && --used.users == 0) {
      inUse.remove(name);
    }
    if (inUse.isEmpty()) {
      unwatchable = false;
      stopWatchingReleases();
    }
  }

  private synchronized void watchReleases() throws IOException {
    Watches.Subscription open = releases;
    if (open == null || !open.isValid()) {
      stopWatchingReleases();
      releases = Watches.listenToDeletions(locks, this);
    }
  }

  private synchronized void stopWatchingReleases() {
    Watches.Subscription open = releases;
    releases = null;
    if (open != null) {
      open.close();
    }
  }

  /** Switches to polling. */
  private synchronized void poll(IOException reason) {
    unwatchable = true;
    if (!warned) {
      warned = true;
      warnings.accept("cannot watch changes in " + locks + ", so waiters poll instead: "
          + Errno.describe(reason) + "; raise fs.inotify.max_user_instances and fs.inotify.max_user_watches");
    }
  }
}
