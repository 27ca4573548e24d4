package fleet.tower.platform.disk;

import java.util.concurrent.atomic.AtomicBoolean;

import fleet.tower.platform.Presence;

/** A counted reference to the {@link ProcessDirectory} of this process. */
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
  public void close() {
    if (closed.compareAndSet(false, true)) {
      directory.close();
    }
  }
}
