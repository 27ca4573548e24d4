package fleet.tower.run;

import fleet.tower.platform.time.Notices;

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
    public Notices.Subscription listen(Topic topic, Notices.Listener listener) {
      return () -> {};
    }
  };

  /** Whether changes are announced at all; if not, listeners poll often. */
  boolean areAnnounced();

  /** Listens to one topic until the result is closed. */
  Notices.Subscription listen(Topic topic, Notices.Listener listener);

  /** What changes are about, and their subject. */
  enum Topic {
    /** The record of a run; its request id. */
    RUNS,
    /** The stored output of a run; its request id. */
    OUTPUT,
    /** The requests to an executor; its id. */
    RUN_REQUESTS
  }
}
