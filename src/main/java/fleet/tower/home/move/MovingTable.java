package fleet.tower.home.move;

import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import fleet.tower.mailbox.Visibility;

/** The tables that move, in the order in which they are copied. All other tables of a home stay. */
enum MovingTable {
  RUNS("runs", "sequence", List.of(List.of("request_id"), List.of("actor", "idempotency_key"))), //
  TASKS("tasks", "sequence", List.of(List.of("id"))) {
    @Override
    void convert(Map<String, @Nullable Object> row, Clocks clocks) {
      if (row.get("claimed_by") != null) {
        long byWall = clocks.fromWall(number(row, "claim_expires_at"));
        String bootId = (String) row.get("boot_id");
        row.put("claim_expires_at",
            bootId == null ? byWall : clocks.fromBoot(bootId, number(row, "boot_until"), byWall));
      }
      row.put("boot_id", null);
      row.put("boot_beat", null);
      row.put("boot_until", null);
    }
  }, //
  TASK_DEPENDENCIES("task_dependencies", "", List.of()), //
  TASK_EVENTS("task_events", "id", List.of()), //
  TASK_REQUESTS("task_requests", "", List.of(List.of("agent", "request_id"))), //
  /** If both sides know an agent, its last activity in the fleet takes precedence. */
  TASK_AGENTS("task_agents", "", List.of()), //
  MAILBOX_MESSAGES("mailbox_messages", "sequence", List.of(List.of("id"))) {
    @Override
    void convert(Map<String, @Nullable Object> row, Clocks clocks) {
      boolean isHidden = List.of("leased", "delayed").contains(Objects.requireNonNull(row.get("state")));
      String clock = String.valueOf(row.get("clock"));
      long due = 0;
      long dueAtMost = 0;
      if (isHidden) {
        due = clocks.fromBoot(clock, number(row, "due"), clocks.fromWall(number(row, "visible_at")));
        dueAtMost = row.get("leased_at") == null
            ? due
            : clocks.fromBoot(clock, number(row, "due_at_most"),
                clocks.fromWall(number(row, "leased_at")) + LONGEST_LEASE_MILLIS);
        row.put("visible_at", due);
      }
      row.put("clock", "");
      row.put("due", due);
      row.put("due_at_most", dueAtMost);
    }
  };

  /** A message is offered again twelve hours after its delivery, however often its lease was extended. */
  private static final long LONGEST_LEASE_MILLIS = Visibility.MAX_SECONDS * 1000;

  private final String table;
  private final String counter;
  @SuppressWarnings("ImmutableEnumChecker") // immutable lists
  private final List<List<String>> keys;

  MovingTable(String table, String counter, List<List<String>> keys) {
    this.table = table;
    this.counter = counter;
    this.keys = keys;
  }

  String table() {
    return table;
  }

  /** The column that the database numbers itself; empty if there is none. */
  String counter() {
    return counter;
  }

  /** The columns that no two rows of a database may share, with the names that people know first. */
  List<List<String>> keys() {
    return keys;
  }

  /** Converts leases to the server's clock. */
  void convert(Map<String, @Nullable Object> row, Clocks clocks) {
    // A row without a lease stays as it is.
  }

  private static long number(Map<String, @Nullable Object> row, String column) {
    return row.get(column) instanceof Number number ? number.longValue() : 0;
  }
}
