package fleet.tower.platform.presence.file;

import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;

import fleet.tower.platform.presence.Presence;

/** One user's share in the presence of this process in a directory. */
final class FilePresence implements Presence {
  private final ProcessDirectory directory;
  private final AtomicBoolean closed = new AtomicBoolean();

  FilePresence(ProcessDirectory directory) {
    this.directory = directory;
  }

  @Override
  public String id() {
    if (closed.get()) {
      throw new IllegalStateException("this presence is closed");
    }
    return directory.id();
  }

  @Override
  public boolean isAlive(String id) {
    return directory.isAlive(id);
  }

  @Override
  public OptionalLong pid(String id) {
    return directory.pid(id);
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      directory.close();
    }
  }
}
