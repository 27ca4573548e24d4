package fleet.tower.mailbox;

/** Notices of messages that other processes send or return. One may be lost, so a waiter also polls. */
public interface ArrivalNotices {
  /** A place without notices. */
  ArrivalNotices NONE = _ -> () -> {};

  /** Receives the notices until the subscription is closed. */
  Subscription subscribe(Listener listener);

  /** A subscription. */
  interface Subscription extends AutoCloseable {
    @Override
    void close();
  }

  /** Receives notices, on a thread that must not wait. */
  interface Listener {

    /** A mailbox has a message, or will have one. */
    void arrived(MailboxName mailbox);

    /** Notices may have been lost. */
    void missed();
  }
}
