package fleet.tower.platform.time;

/** Notices of changes that other processes make. One may be lost, so every listener also looks from time to time. */
@FunctionalInterface
public interface Notices {
  /** The notices of a place that sends none. */
  Notices NONE = _ -> () -> {};

  /** Passes notices to a listener until the subscription is closed. They begin later, with {@link Listener#missed}. */
  Subscription subscribe(Listener listener);

  /** A subscription to notices. */
  interface Subscription extends AutoCloseable {
    @Override
    void close();
  }

  /** Receives notices, on a thread that must not wait. */
  interface Listener {

    /** Something about this subject changed. */
    void changed(String subject);

    /** Notices about any subject may have been lost, or begin only now. */
    void missed();

    /** A listener to which all notices are the same. */
    static Listener of(Runnable work) {
      return new Listener() {
        @Override
        public void changed(String subject) {
          work.run();
        }

        @Override
        public void missed() {
          work.run();
        }
      };
    }
  }
}
