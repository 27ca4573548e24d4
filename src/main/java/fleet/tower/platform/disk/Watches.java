package fleet.tower.platform.disk;

import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

/**
 * Watches directories for created and deleted files, with one watch service and one thread for the process while
 * there are listeners. All listeners of a directory share its key, which the last one cancels.
 */
public final class Watches {
  private static final WatchEvent.Kind<?>[] DELETIONS = {StandardWatchEventKinds.ENTRY_DELETE};
  private static final WatchEvent.Kind<?>[] NAMES = {StandardWatchEventKinds.ENTRY_CREATE,
      StandardWatchEventKinds.ENTRY_DELETE};
  private static final WatchEvent.Kind<?>[] NAMES_AND_CONTENTS = {StandardWatchEventKinds.ENTRY_CREATE,
      StandardWatchEventKinds.ENTRY_DELETE, StandardWatchEventKinds.ENTRY_MODIFY};
  private static @Nullable Watches current;

  private final WatchService service;
  private final Map<WatchKey, Set<Listener>> listeners = new ConcurrentHashMap<>();

  private Watches(WatchService service) {
    this.service = service;
  }

  /** Receives changes on the watch thread, so it must neither block nor throw. */
  public interface Listener {
    void created(String file);

    void deleted(String file);

    /** The content of a file changed; called only for subscriptions to contents. */
    default void modified(String file) {
      // Most listeners need names only.
    }

    /** Events were lost; anything may have changed. */
    void missed();
  }

  /** The subscription of a listener to a directory. */
  public static final class Subscription implements AutoCloseable {
    private final Watches watches;
    private final WatchKey key;
    private final Listener listener;

    private Subscription(Watches watches, WatchKey key, Listener listener) {
      this.watches = watches;
      this.key = key;
      this.listener = listener;
    }

    /** False once the directory has been removed. */
    public boolean isValid() {
      return key.isValid();
    }

    @Override
    public void close() {
      watches.unsubscribe(key, listener);
    }
  }

  /** Subscribes to created and deleted files; fails if the system has no watches left. */
  public static Subscription listen(Path directory, Listener listener) throws IOException {
    return listen(directory, listener, NAMES);
  }

  /** Subscribes to deleted files. Other subscriptions to the same directory may add more events. */
  public static Subscription listenToDeletions(Path directory, Listener listener) throws IOException {
    return listen(directory, listener, DELETIONS);
  }

  /** Subscribes to names and contents; all subscriptions to one directory must be of this kind. */
  public static Subscription listenToContents(Path directory, Listener listener) throws IOException {
    return listen(directory, listener, NAMES_AND_CONTENTS);
  }

  private static Subscription listen(Path directory, Listener listener, WatchEvent.Kind<?>[] kinds)
      throws IOException {
    synchronized (Watches.class) {
      Watches watches = current == null ? start(directory) : current;
      current = watches;
      try {
        WatchKey key = directory.register(watches.service, kinds);
        watches.listeners.computeIfAbsent(key, _ -> ConcurrentHashMap.newKeySet()).add(listener);
        return new Subscription(watches, key, listener);
      } finally {
        watches.endIfUnused();
      }
    }
  }

  private static Watches start(Path directory) throws IOException {
    Watches watches = new Watches(directory.getFileSystem().newWatchService());
    Thread thread = new Thread(watches::run, "tower-watch");
    thread.setDaemon(true);
    thread.start();
    return watches;
  }

  private void unsubscribe(WatchKey key, Listener listener) {
    synchronized (Watches.class) {
      Set<Listener> ofKey = listeners.get(key);
      if (ofKey != null && ofKey.remove(listener) && ofKey.isEmpty()) {
        listeners.remove(key);
        key.cancel();
      }
      endIfUnused();
    }
  }

  private void endIfUnused() {
    if (listeners.isEmpty() && current == this) {
      current = null;
      try {
        service.close();
      } catch (IOException nothingIsLost) {
        // The thread ends or sleeps forever; there is no listener.
      }
    }
  }

  private void run() {
    try {
      for (;;) {
        deliver(service.take());
      }
    } catch (ClosedWatchServiceException lastListenerIsGone) {
      // This thread ends; the next listener starts another.
    } catch (InterruptedException unexpected) {
      listeners.values().forEach(ofKey -> ofKey.forEach(Listener::missed));
    }
  }

  private void deliver(WatchKey key) {
    Set<Listener> ofKey = listeners.getOrDefault(key, Set.of());
    for (WatchEvent<?> event : key.pollEvents()) {
      ofKey.forEach(listener -> dispatch(listener, event));
    }
    if (!key.reset()) {
      ofKey.forEach(Listener::missed);
    }
  }

  private static void dispatch(Listener listener, WatchEvent<?> event) {
    if (event.kind().equals(StandardWatchEventKinds.ENTRY_DELETE) && event.context() instanceof Path file) {
      listener.deleted(file.toString());
    } else if (event.kind().equals(StandardWatchEventKinds.ENTRY_CREATE) && event.context() instanceof Path file) {
      listener.created(file.toString());
    } else if (event.kind().equals(StandardWatchEventKinds.ENTRY_MODIFY) && event.context() instanceof Path file) {
      listener.modified(file.toString());
    } else {
      listener.missed();
    }
  }
}
