package fleet.tower.mutant;

import java.util.List;

/** Bugs in the mailboxes' statements. */
final class MailboxMutants {
  private static final String STATEMENTS = "mailbox/sql/MessageStatements";
  private static final String CHANGES = "mailbox/sql/MessageChanges";
  private static final String CAPACITY = "mailbox/sql/Capacity";
  private static final String STORE_TEST = "mailbox/sql/SqliteMailboxStoreTest";
  private static final String END_TEST = "mailbox/sql/SqliteMailboxEndTest";
  private static final String ROOM_TEST = "mailbox/sql/SqliteMailboxRoomTest";
  private static final String TIME_TEST = "mailbox/sql/SqliteMailboxTimeTest";
  private static final String NOTICES_TEST = "mailbox/sql/MailboxNoticesTest";

  private MailboxMutants() {}

  static List<RoomMutant> all() {
    return List.of(
        RoomMutant.of("messages of all receivers are given back", STATEMENTS,
            "state = 'leased' AND receiver = :receiver AND ", "state = 'leased' AND ", STORE_TEST + "#givenBackAll"),
        RoomMutant.of("acknowledgement without its index", STATEMENTS,
            "ACK = \"DELETE FROM mailbox_messages WHERE id = :id",
            "ACK = \"DELETE FROM mailbox_messages WHERE LOWER(id) = :id",
            "mailbox/sql/MailboxPlanTest#sqlite"),
        RoomMutant.of("acknowledgement with an old receipt", STATEMENTS, "AND receipt = :receipt AND ",
            "AND :receipt IS NOT NULL AND ", STORE_TEST),
        RoomMutant.of("acknowledgement in another mailbox", STATEMENTS, "WHERE id = :id AND mailbox = :mailbox\"\n",
            "WHERE id = :id AND :mailbox <> ''\"\n", END_TEST),
        RoomMutant.of("acknowledgement in the moment in which the lease ends", STATEMENTS, "REMAINING + \" > 0\";",
            "REMAINING + \" >= 0\";", STORE_TEST, TIME_TEST),
        RoomMutant.of("change in the moment in which the lease ends", CHANGES, "held.remainingMillis() > 0",
            "held.remainingMillis() >= 0", STORE_TEST, TIME_TEST),
        RoomMutant.of("returned message wakes nobody", CHANGES,
            "    MailboxAnnouncements.announce(session, mailbox.value());\n    return new MailboxOutcome.Returned",
            "    return new MailboxOutcome.Returned",
            NOTICES_TEST + "#woken"),
        RoomMutant.of("reply wakes nobody", CHANGES, "    MailboxAnnouncements.announce(session, replyTo);\n", "",
            NOTICES_TEST + "#replied"),
        RoomMutant.of("revived dead letter wakes nobody", "mailbox/sql/SqlMailboxStore",
            "      MailboxAnnouncements.announce(session, command.mailbox().value());\n"
                + "      return new MailboxOutcome.Revived",
            "      return new MailboxOutcome.Revived",
            NOTICES_TEST + "#revived"),
        RoomMutant.of("one delivery too many", STATEMENTS, "CASE WHEN delivery_count >= :max_deliveries THEN 1",
            "CASE WHEN delivery_count > :max_deliveries THEN 1", END_TEST),
        RoomMutant.of("two receivers take one message", STATEMENTS,
            "state = 'ready' ORDER BY sequence LIMIT :messages{{lock_free}})\"",
            "state = 'ready' ORDER BY sequence LIMIT :messages)\"",
            "mailbox/sql/PostgresMailboxStoreTest#together"),
        RoomMutant.of("redelivered message loses its place", STATEMENTS,
            "state = 'ready' ORDER BY sequence LIMIT :messages{{lock_free}})\"",
            "state = 'ready' ORDER BY visible_at, sequence LIMIT :messages{{lock_free}})\"", STORE_TEST),
        RoomMutant.of("due message appears a moment late", STATEMENTS, "AND due <= \" + HERE", "AND due < \" + HERE",
            STORE_TEST, TIME_TEST),
        RoomMutant.of("lease for ever", CHANGES, "Math.min(command.by().seconds() * 1000, held.maxMillis())",
            "command.by().seconds() * 1000", STORE_TEST),
        RoomMutant.of("extension shortens a lease", CHANGES, "if (longer <= held.remainingMillis()) {",
            "if (longer <= 0) {", STORE_TEST),
        RoomMutant.of("returned message keeps its receipt", STATEMENTS, "SET state = :state, receipt = NULL,",
            "SET state = :state,", STORE_TEST),
        RoomMutant.of("revived dead letter keeps its count", STATEMENTS, "delivery_count = 0, ", "", END_TEST),
        RoomMutant.of("newest message survives a purge", STATEMENTS, "mailbox = ? AND sequence <= ? AND \"",
            "mailbox = ? AND sequence < ? AND \"", END_TEST, STORE_TEST),
        RoomMutant.of("one message more than a mailbox may have", CAPACITY, "contents.messages >= bounds.messages()",
            "contents.messages > bounds.messages()", ROOM_TEST),
        RoomMutant.of("mailbox is not counted again after others filled it", CAPACITY,
            "return !takesTurns || newest(session, last.contents).filter(last.newest::equals).isPresent();",
            "return last.newest != null || newest(session, last.contents).isPresent();", ROOM_TEST),
        RoomMutant.of("hosts of a fleet send without turns", CAPACITY,
            "      session.query(MessageStatements.SEND_ALONE, row -> true, mailbox.value());\n", "",
            "mailbox/sql/PostgresMailboxRoomTest#together"),
        RoomMutant.of("leases by the wall clock", "mailbox/sql/DatabaseClock",
            "database.isOfOneHost() ? time.boot() : null", "database.isOfOneHost() ? null : time.boot()", TIME_TEST));
  }
}
