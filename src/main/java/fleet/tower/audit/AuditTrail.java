package fleet.tower.audit;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/** The audit log, for reading. */
public interface AuditTrail {

  /** Passes the matching entries to a reader, the oldest first. */
  void read(AuditQuery query, Consumer<AuditEntry> reader);

  /** The newest matching entries, the oldest first, limited by number and by the total size of their lines. */
  default Newest newest(AuditQuery query, int limit, long maxSize) {
    Deque<AuditEntry> newest = new ArrayDeque<>();
    long[] size = new long[1];
    boolean[] isTruncated = new boolean[1];
    read(query, entry -> {
      newest.addLast(entry);
      size[0] += entry.line().length();
      if (newest.size() > limit) {
        size[0] -= newest.removeFirst().line().length();
      }
      while (size[0] > maxSize) {
        size[0] -= newest.removeFirst().line().length();
        isTruncated[0] = true;
      }
    });
    return new Newest(List.copyOf(newest), isTruncated[0] && newest.size() < limit);
  }

  /**
   * The newest entries, the oldest first.
   *
   * @param isTruncated whether entries within the number limit were omitted because of the size limit
   */
  record Newest(List<AuditEntry> entries, boolean isTruncated) {}

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
