package fleet.tower.mutant;

import java.util.List;

/** Bugs in the audit log, its files and its table. */
final class AuditMutants {
  private static final String BUDGET = "audit/AuditBudget";
  private static final String OPEN_DAY = "audit/jsonl/OpenDay";
  private static final String RECORDED = "audit/jsonl/RecordedLines";
  private static final String TAIL = "audit/jsonl/Tail";
  private static final String BUDGET_TEST = "audit/AuditBudgetTest";
  private static final String LOG_TEST = "audit/jsonl/JsonlAuditLogTest";
  private static final String TRAIL_TEST = "audit/jsonl/JsonlAuditTrailTest";
  private static final String CONTRACT_TEST = "audit/jsonl/JsonlTrailContractTest";
  private static final String RECORDED_TEST = "audit/jsonl/RecordedLinesTest";
  private static final String SQL_TEST = "audit/sql/SqlTrailContractTest";

  private AuditMutants() {}

  static List<RoomMutant> all() {
    return List.of(
        RoomMutant.of("audit day by the local zone", "audit/jsonl/DayFiles",
            "LocalDate.ofInstant(moment, ZoneOffset.UTC)",
            "LocalDate.ofInstant(moment, java.time.ZoneId.systemDefault())", LOG_TEST + "#zones"),
        RoomMutant.of("omitted refusals not summed up", BUDGET, "    omitted += denied.omitted();\n", "", BUDGET_TEST),
        RoomMutant.of("one refusal a minute too many", BUDGET, "audited < MOST_A_MINUTE", "audited <= MOST_A_MINUTE",
            BUDGET_TEST),
        RoomMutant.of("refusals without a sum at the end of the minute", BUDGET,
            "      scheduler.after(Duration.ofNanos(sinceNanos + WINDOW.toNanos() - now), this::sumUp);\n",
            "      scheduler.after(WINDOW, this::sumUp);\n", BUDGET_TEST),
        RoomMutant.of("lost events are forgotten if their number is lost too", "audit/ObservedAuditLog",
            "unrecorded += events + missing;", "unrecorded += events;", "audit/ObservedAuditLogTest"),
        RoomMutant.of("durable event not synced", "audit/jsonl/JsonlAuditLog",
            "noneMatch(AuditEvent::isDurable) || sync(written, lines, events)",
            "noneMatch(AuditEvent::isDurable) || written != null", RECORDED_TEST),
        RoomMutant.of("first event of a write decides whether it is durable", "audit/jsonl/JsonlAuditLog",
            "events.stream().noneMatch(AuditEvent::isDurable)", "!events.getFirst().isDurable()", RECORDED_TEST,
            LOG_TEST),
        RoomMutant.of("event appended to a torn line", OPEN_DAY, "size != wholeSize && endsInMidLine() ? onNewLine",
            "wholeSize == size && endsInMidLine() ? onNewLine", LOG_TEST),
        RoomMutant.of("event written to a file that was moved away", OPEN_DAY,
            "named == null || !Objects.equals(named.fileKey(), identity)", "named == null", LOG_TEST),
        RoomMutant.of("day's file left without a sync", OPEN_DAY, "    syncNow();\n    isClosed = true;",
            "    isClosed = true;", "audit/jsonl/AuditSyncTest"),
        RoomMutant.of("event of the first moment left out", "audit/AuditTrail", "!entry.timestamp().isBefore(since)",
            "entry.timestamp().isAfter(since)", TRAIL_TEST, CONTRACT_TEST),
        RoomMutant.of("event of the last moment left out", "audit/AuditTrail", "!entry.timestamp().isAfter(until)",
            "entry.timestamp().isBefore(until)", TRAIL_TEST, CONTRACT_TEST),
        RoomMutant.of("deleted day comes back", RECORDED,
            "if (Files.exists(file) || day.getKey().equals(recorded.lastKey())) {", "if (!day.getValue().isEmpty()) {",
            RECORDED_TEST),
        RoomMutant.of("line that occurs twice is restored once", RECORDED,
            "if (present.merge(line, -1, Integer::sum) < 0) {", "if (present.putIfAbsent(line, 1) == null) {",
            RECORDED_TEST),
        RoomMutant.of("lines of yesterday not synced before the journal is cut", RECORDED, "OPEN_DAYS = 2;",
            "OPEN_DAYS = 1;", "audit/jsonl/AuditSyncTest"),
        RoomMutant.of("new day followed from its end", "audit/jsonl/Follower",
            "      tails.putIfAbsent(file, Tail.atStart(file));\n",
            "      if (!tails.containsKey(file)) {\n        tails.put(file, Tail.atEnd(file));\n      }\n", TRAIL_TEST),
        RoomMutant.of("replaced file followed from the old position", TAIL,
            "if (!Arrays.equals(mark, bytesBefore(in, position))) {", "if (position > in.length()) {", TRAIL_TEST),
        RoomMutant.of("last lines of a moved file are lost", TAIL,
            "boolean wanted = readLines(previous, reader);", "boolean wanted = reader != null;", TRAIL_TEST),
        RoomMutant.of("page repeats its last event", "audit/sql/SqlAuditTrail", "\"(at, sequence) < (?, ?)\"",
            "\"(at, sequence) <= (?, ?)\"", SQL_TEST),
        RoomMutant.of("events before a moment within a millisecond", "audit/sql/Conditions",
            "moment.plus(RESOLUTION).minusNanos(1).toEpochMilli()", "moment.toEpochMilli()", SQL_TEST));
  }
}
