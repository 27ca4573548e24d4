package fleet.tower.audit;

import java.util.function.Consumer;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.list.Page;
import fleet.tower.platform.list.Placed;
import fleet.tower.platform.list.Rows;

/** The audit log, for reading. */
public interface AuditTrail {

  /** Passes the matching entries to a reader, the oldest first. */
  void read(AuditQuery query, Consumer<AuditEntry> reader);

  /**
   * Passes the matching entries of a page, and one more if there is one, to a reader, the newest first, until it
   * returns false. The first page begins with the newest entry of all.
   */
  void readBack(AuditQuery query, Page page, Predicate<Placed<AuditEntry>> reader);

  /** The entries of such a page, the oldest first; the next page has older ones. */
  default Rows<AuditEntry> page(AuditQuery query, Page page, long maxSize) {
    return Rows.collect(page, maxSize, AuditEntry::line, reader -> readBack(query, page, reader)).reversed();
  }

  /** The trail of this host alone, from its own log. */
  default AuditTrail ofThisHost() {
    return this;
  }

  /**
   * Passes entries from {@link AuditQuery#since()} on (without it, no existing ones) and then new ones as they are
   * written, across midnight, until {@code reader} returns false.
   *
   * @param place the position of an earlier follower, from which reading continues without gaps or repetitions; null
   *     or an invalid text for none
   */
  void follow(AuditQuery query, @Nullable String place, Reader reader);

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
    boolean take(AuditEntry entry, String place);

    /** Whether to continue; called between checks of a log without new entries. */
    boolean wantsMore();
  }
}
