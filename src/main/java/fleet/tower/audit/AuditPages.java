package fleet.tower.audit;

import java.util.List;
import java.util.SortedMap;

/** This host's own log, page by page, for whoever copies it to where all hosts see it. Pages only grow; what is broken is an {@link java.io.UncheckedIOException}. */
public interface AuditPages {

  /** The name that this log has and no other, whatever the host is called and wherever the log is seen. */
  String id();

  /** Its pages and their sizes in bytes, the oldest first; none before the first event. */
  SortedMap<String, Long> sizes();

  /**
   * The whole lines behind a place, as many as are good for one step; from the beginning where the page is not the one that the
   * place is of. There are no more when the end is the place.
   */
  Excerpt behind(String page, PagePlace place);

  /**
   * How far a page has been read.
   *
   * @param mark tells what stands before, so that a page which was replaced is known for another
   */
  record PagePlace(long position, String mark) {
    public static final PagePlace START = new PagePlace(0, "");
  }

  /** An event and where its line begins. */
  record PlacedEntry(long position, AuditEntry entry) {}

  /** Some events of a page, and the place behind them. */
  record Excerpt(List<PlacedEntry> entries, PagePlace end) {
    public Excerpt {
      entries = List.copyOf(entries);
    }
  }
}
