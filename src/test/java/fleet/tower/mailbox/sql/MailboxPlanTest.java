package fleet.tower.mailbox.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.mailbox.MailboxWork;
import fleet.tower.platform.sql.PostgresServer;
import fleet.tower.platform.time.ManualTime;

@DisplayName("The cost of a receive does not grow with the number of messages")
class MailboxPlanTest {
  private static final Pattern MARK = Pattern.compile(":([a-z_]+)");
  private static final Map<String, String> NAMED = Map.ofEntries(Map.entry("max_deliveries", "5"),
      Map.entry("mailbox", "'jobs'"), Map.entry("messages", "1"), Map.entry("receipt", "'r'"),
      Map.entry("visible_millis", "30000"), Map.entry("clock_millis", "0"), Map.entry("clock", "''"),
      Map.entry("receiver", "'ci'"), Map.entry("all", "1"), Map.entry("audiences", "'d1 d2'"),
      Map.entry("id", "'ready1'"));

  /** A statement with values for its marks, and the index that it has to be read from. */
  private record Query(String sql, String index, List<String> values) {
    String filled(String now, String lockFree) {
      Deque<String> left = new ArrayDeque<>(values);
      StringBuilder filled = new StringBuilder();
      MARK.matcher(sql).replaceAll(mark -> NAMED.get(mark.group(1)))
          .replace("{{now}}", now).replace("{{lock_free}}", lockFree).chars()
          .forEach(c -> filled.append(c == '?' ? left.remove() : Character.toString(c)));
      assertThat(left).isEmpty();
      return filled.toString();
    }
  }

  private static final List<Query> QUERIES = List.of(
      new Query(MessageStatements.TAKE, "mailbox_ready", List.of()),
      new Query(MessageStatements.TAKE_SELECTED, "mailbox_ready", List.of()),
      new Query(MessageStatements.FIRST_SELECTED, "mailbox_ready", List.of()),
      new Query(MessageStatements.SHOW_DUE, "mailbox_hidden", List.of()),
      new Query(MessageStatements.ANY_READY, "mailbox_ready", List.of("'jobs'")),
      new Query(MessageStatements.NEXT_DUE, "mailbox_hidden", List.of()),
      new Query(MessageStatements.CONTENTS, "mailbox_(contents|messages_pkey)", List.of("'jobs'", "59000")),
      new Query(MessageStatements.ACK, "(sqlite_autoindex_mailbox_messages_1|mailbox_messages_id_key)",
          List.of()),
      new Query(MessageStatements.REVIVE_SOME, "mailbox_dead", List.of("'jobs'", "0", "5000")));

  @Test
  @DisplayName("WI-12 in SQLite it reads the index of ready or due messages, in order, without a sort")
  void sqlite(@TempDir Path home) {
    SqlTestMailboxes place = new SqlTestMailboxes("jdbc:sqlite:" + home.resolve("tower.db"), new ManualTime());
    new MailboxWork(place.open()).send("a");
    place.close();
    for (Query query : QUERIES) {
      assertThat(String.join("\n", place.look("EXPLAIN QUERY PLAN " + query.filled("0", ""))))
          .containsPattern("SEARCH mailbox_messages USING (COVERING )?INDEX " + query.index())
          .doesNotContain("TEMP B-TREE").doesNotContain("SCAN mailbox_messages");
    }
  }

  @Test
  @DisplayName("WI-12 the same in PostgreSQL with 20,000 messages of each kind")
  void postgres() {
    SqlTestMailboxes place = new SqlTestMailboxes(PostgresServer.newDatabase(), new ManualTime());
    new MailboxWork(place.open()).send("a");
    place.close();
    for (String state : List.of("ready", "leased", "dead")) {
      place.change(
          "INSERT INTO mailbox_messages (id, mailbox, state, body, enqueued_at, visible_at, due, dead_at) SELECT '"
              + state + "' || n, 'jobs', '" + state + "', '1', 0, n, n, n FROM generate_series(1, 20000) n");
    }
    place.change("ANALYZE mailbox_messages");
    for (Query query : QUERIES) {
      String plan = String.join("\n", place.look("EXPLAIN " + query.filled("7", " FOR UPDATE SKIP LOCKED")));
      assertThat(plan.toLowerCase(Locale.ROOT)).containsPattern("(using|on) " + query.index() + " ")
          .doesNotContain("seq scan").doesNotContain("sort");
    }
  }
}
