package fleet.tower.audit;

import java.util.List;
import java.util.SortedMap;

/**
 * This host's own log as append-only pages, for replication. A log that cannot be read is an
 * {@link java.io.UncheckedIOException}.
 */
public interface AuditPages {

  /** The unique id of this log, independent of the host name and the mount point. */
  String id();

  /** The pages and their sizes in bytes, the oldest first; empty before the first event. */
  SortedMap<String, Long> sizes();

  /**
   * The complete lines after a position, up to one batch; from the start if the page is not the one that the position
   * refers to. If the end is the given position, there are no more.
   */
  Excerpt after(String page, PagePosition position);

  /**
   * A position in a page.
   *
   * @param mark a checksum of the preceding bytes, which detects a replaced page
   */
  record PagePosition(long offset, String mark) {
    public static final PagePosition START = new PagePosition(0, "");
  }

  /** An event and the position of its line. */
  record PositionedEntry(long offset, AuditTrail.Entry entry) {}

  /** Some events of a page, and the position after them. */
  record Excerpt(List<PositionedEntry> entries, PagePosition end) {
    public Excerpt {
      entries = List.copyOf(entries);
    }
  }
}
