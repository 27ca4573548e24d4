package fleet.tower.audit.sql;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import fleet.tower.audit.AuditPages;
import fleet.tower.audit.AuditPages.Excerpt;
import fleet.tower.audit.AuditPages.PagePosition;
import fleet.tower.audit.AuditPages.PositionedEntry;
import fleet.tower.audit.AuditTrail;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.sql.NamedValues;

/**
 * Copies this host's log to the table, line by line from where the last copy ended:
 * <ol>
 * <li>read from the table how far each page was copied;
 * <li>read the page from there;
 * <li>write its lines and the new position in one statement;
 * <li>repeat until the page has no more lines.
 * </ol>
 * A crash loses nothing, because the next copy starts with the first step. Two concurrent copies write the same
 * lines, of which the table keeps one.
 */
final class AuditCopier {
  /** Longer than any name or id of ours; longer values of others must not stop the copy. */
  private static final int MAX_KEY_LENGTH = 256;

  /**
   * The number of pages that are always checked, because an event of the last second of a day may be written after
   * the first of the next. Older pages are checked if their size differs.
   */
  private static final int ALWAYS_CHECKED = 2;

  private final Database database;
  private final AuditPages pages;
  private final String hostId;
  /** The sizes of the pages after the last complete copy. */
  private SortedMap<String, Long> copied = new TreeMap<>();

  AuditCopier(Database database, AuditPages pages, String hostId) {
    this.database = database;
    this.pages = pages;
    this.hostId = hostId;
  }

  /** Copies everything in the log at the time of the call. If nothing is new, the database is not accessed. */
  synchronized void copy() {
    SortedMap<String, Long> sizes = pages.sizes();
    if (sizes.equals(copied)) {
      return;
    }
    String log = pages.id();
    Map<String, PagePosition> byPage = positions(log);
    int old = sizes.size() - ALWAYS_CHECKED;
    for (Map.Entry<String, Long> page : sizes.entrySet()) {
      PagePosition position = byPage.getOrDefault(page.getKey(), PagePosition.START);
      if (old <= 0 || position.offset() != page.getValue()) {
        copy(log, page.getKey(), position);
      }
      old--;
    }
    copied = sizes;
  }

  private void copy(String log, String page, PagePosition from) {
    PagePosition position = from;
    for (Excerpt next = pages.after(page, position); !next.end().equals(position); next = pages.after(page, position)) {
      write(log, page, next);
      position = next.end();
    }
  }

  private Map<String, PagePosition> positions(String log) {
    Map<String, PagePosition> byPage = new HashMap<>();
    database.change(session -> session.query(AuditStatements.POSITIONS,
        row -> byPage.put(row.getString(1), new PagePosition(row.getLong(2), row.getString(3))), log), _ -> true);
    return byPage;
  }

  /** Writes a batch; idempotent, so there is nothing to undo. */
  private void write(String log, String page, Excerpt excerpt) {
    List<PositionedEntry> entries = excerpt.entries();
    long[] positions = entries.stream().mapToLong(PositionedEntry::offset).toArray();
    long[] moments = entries.stream().mapToLong(it -> it.entry().timestamp().toEpochMilli()).toArray();
    NamedValues values = new NamedValues().put("log", log).put("page", page).put("host", hostId)
        .put("positions", positions).put("moments", moments).put("events", texts(entries, AuditTrail.Entry::event))
        .put("locks", texts(entries, AuditTrail.Entry::lockName))
        .put("requests", texts(entries, AuditTrail.Entry::requestId))
        .put("lines", entries.stream().map(it -> it.entry().line()).toArray(String[]::new))
        .put("end", excerpt.end().offset()).put("mark", excerpt.end().mark());
    database.change(session -> session.update(AuditStatements.COPY, values), _ -> true);
  }

  private static @Nullable String[] texts(List<PositionedEntry> entries,
      Function<AuditTrail.Entry, @Nullable String> member) {
    @Nullable
    String[] texts = new String[entries.size()];
    for (int i = 0; i < texts.length; i++) {
      texts[i] = storable(member.apply(entries.get(i).entry()));
    }
    return texts;
  }

  /**
   * Removes what JSON can contain but the database cannot: the character 0 and unpaired surrogates. The line still
   * contains them.
   */
  private static @Nullable String storable(@Nullable String text) {
    if (text == null) {
      return null;
    }
    String whole = new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8).replace('\0', '?');
    return whole.length() > MAX_KEY_LENGTH
        ? whole.substring(0, whole.offsetByCodePoints(0, MAX_KEY_LENGTH / 2))
        : whole;
  }
}
