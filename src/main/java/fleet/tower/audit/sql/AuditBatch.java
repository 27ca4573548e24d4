package fleet.tower.audit.sql;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import fleet.tower.audit.AuditEntry;
import fleet.tower.audit.AuditPages;
import fleet.tower.audit.AuditPages.Excerpt;
import fleet.tower.audit.AuditPages.PagePlace;
import fleet.tower.audit.AuditPages.PlacedEntry;
import fleet.tower.platform.sql.Database;

/**
 * Copies this host's log into the table, line by line from the place where the last one ended, whoever that was:
 * <ol>
 * <li>look how far each page is copied, in the table;
 * <li>read a page on from there;
 * <li>write its lines and the new place, in one statement;
 * <li>again, until a page has no more.
 * </ol>
 * Who dies on the way has lost nothing, as the next one looks first. Two at once write the same lines, of which the table keeps one.
 */
final class AuditBatch {
  /** Longer than any name or id that is given here; what others have put into the log must not stop it. */
  private static final int LONGEST_KEY = 256;

  /** An event of the last second of a day may be written behind the first of the next. Older pages are looked into where their size tells something. */
  private static final int NEWEST = 2;

  private final Database database;
  private final AuditPages pages;
  private final String hostId;
  /** The sizes of the pages when all of them had been copied. */
  private SortedMap<String, Long> copied = new TreeMap<>();

  AuditBatch(Database database, AuditPages pages, String hostId) {
    this.database = database;
    this.pages = pages;
    this.hostId = hostId;
  }

  /** Copies all that stands in the log when this begins. Where nothing has come since the last time the database is not asked. */
  synchronized void ship() {
    SortedMap<String, Long> sizes = pages.sizes();
    if (sizes.equals(copied)) {
      return;
    }
    String log = pages.id();
    Map<String, PagePlace> places = shipped(log);
    int old = sizes.size() - NEWEST;
    for (Map.Entry<String, Long> page : sizes.entrySet()) {
      PagePlace place = places.getOrDefault(page.getKey(), PagePlace.START);
      if (old <= 0 || place.position() != page.getValue()) {
        ship(log, page.getKey(), place);
      }
      old--;
    }
    copied = sizes;
  }

  private void ship(String log, String page, PagePlace from) {
    PagePlace place = from;
    for (Excerpt next = pages.behind(page, place); !next.end().equals(place); next = pages.behind(page, place)) {
      write(log, page, next);
      place = next.end();
    }
  }

  private Map<String, PagePlace> shipped(String log) {
    Map<String, PagePlace> places = new HashMap<>();
    database.change(session -> session.query(Statements.SHIPPED,
        row -> places.put(row.getString(1), new PagePlace(row.getLong(2), row.getString(3))), log), _ -> true);
    return places;
  }

  /** Done twice it is as if done once, so nothing is to be taken back. */
  private void write(String log, String page, Excerpt excerpt) {
    List<PlacedEntry> entries = excerpt.entries();
    long[] positions = entries.stream().mapToLong(PlacedEntry::position).toArray();
    long[] moments = entries.stream().mapToLong(it -> it.entry().timestamp().toEpochMilli()).toArray();
    database.change(session -> session.update(Statements.SHIP, log, page, hostId, positions, moments,
        texts(entries, AuditEntry::event), texts(entries, AuditEntry::lockName), texts(entries, AuditEntry::requestId),
        entries.stream().map(it -> it.entry().line()).toArray(String[]::new),
        log, page, excerpt.end().position(), excerpt.end().mark()), _ -> true);
  }

  private static @Nullable String[] texts(List<PlacedEntry> entries, Function<AuditEntry, @Nullable String> member) {
    @Nullable
    String[] texts = new String[entries.size()];
    for (int i = 0; i < texts.length; i++) {
      texts[i] = storable(member.apply(entries.get(i).entry()));
    }
    return texts;
  }

  /** JSON can say what a database has no text for: the character 0, halves of pairs. The line still says it. */
  private static @Nullable String storable(@Nullable String text) {
    if (text == null) {
      return null;
    }
    String whole = new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8).replace('\0', '?');
    return whole.length() > LONGEST_KEY ? whole.substring(0, whole.offsetByCodePoints(0, LONGEST_KEY / 2)) : whole;
  }
}
