package fleet.tower.audit;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/** The log as its readers see it. */
public interface AuditTrail {

  /** Hands over what is there, oldest first. */
  void read(AuditQuery query, Consumer<AuditEntry> reader);

  /** The newest that are there, oldest first, up to a number and to a size of their lines. */
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
   * The newest entries, oldest first.
   *
   * @param isTruncated whether more were asked for and are there, but would have been too large
   */
  record Newest(List<AuditEntry> entries, boolean isTruncated) {}

  /** What this host alone has written, as it stands in its own log. */
  default AuditTrail ofThisHost() {
    return this;
  }

  /**
   * Hands over what is there from {@link AuditQuery#since()} on (nothing old without it), and then everything new as it
   * comes, over midnight too, until {@code reader} says false.
   *
   * @param place where an earlier follower was; nothing behind it is left out, and nothing before it is told again. Null,
   *        or a text that is no place: none
   */
  void follow(AuditQuery query, @Nullable String place, Reader reader);

  /** Takes entries until it has enough. */
  interface Reader {

    /** Told once, before the first entry, where this follower begins. */
    default void begin(String place) {
      // Of use only to those who may come back.
    }

    /**
     * Takes an entry; false when it was enough.
     *
     * @param place behind the entry, for whoever comes back
     */
    boolean take(AuditEntry entry, String place);

    /** Asked between looks at a quiet log. */
    boolean wantsMore();
  }
}
