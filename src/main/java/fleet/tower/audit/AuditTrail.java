package fleet.tower.audit;

import java.time.Instant;
import java.util.function.Consumer;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.list.Page;
import fleet.tower.platform.list.Page.Placed;
import fleet.tower.platform.list.Rows;

/** The audit log, for reading. */
public interface AuditTrail {

  /** Passes the matching entries to a reader, the oldest first. */
  void read(Query query, Consumer<Entry> reader);

  /**
   * Passes the matching entries of a page, and one more if there is one, to a reader, the newest first, until it
   * returns false. The first page begins with the newest entry of all.
   */
  void readBack(Query query, Page page, Predicate<Placed<Entry>> reader);

  /** The entries of such a page, the oldest first; the next page has older ones. */
  default Rows<Entry> page(Query query, Page page, long maxSize) {
    return Rows.collect(page, maxSize, Entry::line, reader -> readBack(query, page, reader)).reversed();
  }

  /** The trail of this host alone, from its own log. */
  default AuditTrail ofThisHost() {
    return this;
  }

  /**
   * Passes entries from {@link Query#since()} on (without it, no existing ones) and then new ones as they are
   * written, across midnight, until {@code reader} returns false.
   *
   * @param place the position of an earlier follower, from which reading continues without gaps or repetitions; null
   *     or an invalid text for none
   */
  void follow(Query query, @Nullable String place, Reader reader);

  /** Receives entries until it has enough. */
  interface Reader {

    /** Called once, before the first entry, with the start position. */
    default void begin(String place) {
      // Needed only by readers that may resume.
    }

    /**
     * Receives an entry; returns false when it has enough.
     *
     * @param place the position after the entry, for resuming
     */
    boolean take(Entry entry, String place);

    /** Whether to continue; called between checks of a log without new entries. */
    boolean wantsMore();
  }

  /** An event as stored in the log: its line, and the members by which it can be queried. */
  record Entry(String line, Instant timestamp, String event, @Nullable String lockName,
      @Nullable String requestId) {}

  /** A query for events from {@code since} to {@code until}, both inclusive; null matches all. */
  record Query(@Nullable Instant since, @Nullable String lockName, @Nullable String requestId,
      @Nullable String event, @Nullable Instant until) {

    /** Whether an entry matches. */
    public boolean matches(AuditTrail.Entry entry) {
      return (since == null || !entry.timestamp().isBefore(since))
          && (until == null || !entry.timestamp().isAfter(until)) && matches(lockName, entry.lockName())
          && matches(requestId, entry.requestId()) && matches(event, entry.event());
    }

    /**
     * A page of the events that match.
     *
     * @param ofOneHost whether it is in the log of one host
     */
    public Page page(boolean ofOneHost, int limit, @Nullable String cursor) {
      return Page.of(Page.list("audit", since, lockName, requestId, event, until, ofOneHost), limit, cursor);
    }

    private static boolean matches(@Nullable String wanted, @Nullable String found) {
      return wanted == null || wanted.equals(found);
    }
  }
}
