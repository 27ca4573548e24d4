package fleet.tower.run;

/**
 * The announcements of changes that processes make to the runs of their store. Announcements may be lost, so every
 * listener also polls.
 */
public interface RunChanges {
  /** The announcements of a store that announces nothing. */
  RunChanges NONE = new RunChanges() {
    @Override
    public boolean areAnnounced() {
      return false;
    }

    @Override
    public Listening listen(Topic topic, Listener listener) {
      return () -> {};
    }
  };

  /** Whether changes are announced at all; if not, listeners poll often. */
  boolean areAnnounced();

  /** Listens until the result is closed. Listening begins a moment later, with {@link Listener#missed}. */
  Listening listen(Topic topic, Listener listener);

  /** What changes are about, and their subject. */
  enum Topic {
    /** The record of a run; its request id. */
    RUNS,
    /** The stored output of a run; its request id. */
    OUTPUT,
    /** The requests to an executor; its id. */
    RUN_REQUESTS
  }

  /** Receives announcements, on a thread that others wait for. */
  interface Listener {

    /** Something about this subject changed. */
    void changed(String subject);

    /** Announcements about any subject may have been lost. */
    void missed();
  }

  /** The duration of listening. */
  interface Listening extends AutoCloseable {
    @Override
    void close();
  }
}
