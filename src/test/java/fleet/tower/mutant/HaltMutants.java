package fleet.tower.mutant;

import java.util.List;

/** Bugs in halts. */
final class HaltMutants {
  private static final String FILES = "lock/file/HaltFiles";
  private static final String STORE = "lock/file/FileLockStore";
  private static final String SQL = "lock/sql/SqlHalts";
  private static final String SQL_STORE = "lock/sql/SqlLockStore";
  private static final String STATEMENTS = "lock/sql/LockStatements";
  private static final String FILE_TEST = "lock/file/HaltFilesTest";
  private static final String SQL_TEST = "lock/sql/SqlHaltsTest";

  private HaltMutants() {}

  static List<RoomMutant> all() {
    return List.of(
        RoomMutant.of("halts not read again after a grant", STORE, "unlessHalted(request, grants.create(request))",
            "grants.create(request)", FILE_TEST + "#races"),
        RoomMutant.of("halts not read before a grant", STORE,
            "halted == null ? freeze.refusal() : halted, request.leaseRequest());",
            "freeze.refusal(), request.leaseRequest());", FILE_TEST),
        RoomMutant.of("a steal that a halt overtakes is an outage", "lock/AuditedStore",
            "return halted == null ? settled : halted;", "return settled;", FILE_TEST + "#stealOvertaken"),
        RoomMutant.of("the refusal of an overtaken steal is not audited", "lock/LockAudit",
            "refused(request, halted.refusal());", "", FILE_TEST + "#stealOvertaken"),
        RoomMutant.of("a file that is no halt counts as none", FILES, "return unreadable(name, e.problem());",
            "return InForce.NONE;", FILE_TEST + "#failsClosed"),
        RoomMutant.of("an expired halt stays in its file", FILES, "        sweep();\n", "",
            FILE_TEST + "#endsByItself"),
        RoomMutant.of("halts of a grant not compared", STATEMENTS, "\"halts_version() = :halts\"",
            "\"halts_version() >= :halts\"", SQL_TEST),
        RoomMutant.of("change of halts does not wait for grants", SQL, "pg_advisory_xact_lock(1751215220)", "1",
            SQL_TEST + "#waitsForGrants"),
        RoomMutant.of("changes of halts are not counted", SQL, "SET version = version + 1", "SET version = version",
            SQL_TEST),
        RoomMutant.of("halts judged by what was read before", SQL, "last.halts().refusal(request) != null ? read()",
            "last.halts() == null ? read()", SQL_TEST),
        RoomMutant.of("a halt in PostgreSQL goes after a freeze", SQL_STORE,
            "judged.halted() == null ? seen.freeze().refusal() : judged.halted();",
            "seen.freeze().refusal() != null ? seen.freeze().refusal() : judged.halted();",
            SQL_TEST + "#beforeFreezes"));
  }
}
