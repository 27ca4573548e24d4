package fleet.tower.mutant;

import java.util.List;

/** Bugs in the move of a home into a fleet. */
final class MoveMutants {
  private static final String MOVE = "home/move/HomeMove";
  private static final String COPY = "home/move/LockCopy";
  private static final String STEPS_TEST = "home/move/HomeMoveStepsTest";
  private static final String LEASES_TEST = "home/move/MovedLeasesTest";
  private static final String TEST = "home/move/HomeMoveTest";

  private MoveMutants() {}

  static List<RoomMutant> all() {
    return List.of(
        RoomMutant.of("no second look before the commit of a move", MOVE, "      requireUnchanged(survey);\n", "",
            TEST + "#changedDuringTheCopy"),
        RoomMutant.of("no second survey under the barriers", MOVE,
            "if (!survey.busy().isEmpty() || !survey.unfit().isEmpty() || !clashes.isEmpty()) {",
            "if (!clashes.isEmpty()) {", STEPS_TEST),
        RoomMutant.of("locks not frozen", MOVE, "      locks.stopChanges();\n", "", TEST + "#openHandles"),
        RoomMutant.of("database not frozen", MOVE, "    source.stopEverything(mark.message());\n", "",
            STEPS_TEST),
        RoomMutant.of("new locks while a move waits", MOVE, "      locks.stopGrants();\n", "", TEST + "#drains"),
        RoomMutant.of("new work while a move waits", MOVE,
            "    source.stopWork(mark.in(Phase.DRAINING, now()).message());\n", "", TEST + "#drains"),
        RoomMutant.of("undo decided without the database", MOVE,
            "mark.phase() != Phase.COPYING || target.undo(mark)", "mark.phase() != Phase.MOVED", TEST + "#killed"),
        RoomMutant.of("home stays stopped after an undo", MOVE, "      locks.resume();\n", "", TEST + "#killed"),
        RoomMutant.of("mark kept after an undo", MOVE,
            "    marks.write(new StoreMark(StoreMark.Store.OF_HOME, null));\n", "", TEST + "#drainEnds"),
        RoomMutant.of("second move at the same time", MOVE, "lock == null ? new MoveOutcome.InProgress() : work.run()",
            "channel == null ? new MoveOutcome.InProgress() : work.run()", STEPS_TEST),
        RoomMutant.of("move not audited", MOVE,
            "    home.audit().append(new AuditEvent.HomeMoved(", "    java.util.List.of(new AuditEvent.HomeMoved(",
            TEST + "#everything"),
        RoomMutant.of("token of a free lock falls", COPY, "GREATEST(l.token, EXCLUDED.token)", "EXCLUDED.token",
            STEPS_TEST),
        RoomMutant.of("lock with a token that the fleet has issued", COPY, "isHeld && there.token() >= lock",
            "isHeld && there.token() > lock", STEPS_TEST),
        RoomMutant.of("lock moved without its second of grace", COPY, "age.exceeds(lease.ttl()) ? 0 : 1",
            "age.exceeds(lease.ttl()) ? 0 : 0", LEASES_TEST),
        RoomMutant.of("lock of a program without tokens is moved", "home/move/Survey",
            "if (lease.token().isNone() && !age.exceeds(lease.ttl())) {",
            "if (lease.token().isNone() && age.exceeds(lease.ttl())) {", TEST + "#busy"),
        RoomMutant.of("holder in the fleet is overwritten", COPY, "if (there.holder() != null && (isHeld",
            "if (there.holder() == null && (isHeld", TEST + "#clashes"),
        RoomMutant.of("moments by the home's clock", "home/move/Clocks",
            "return serverMillis + (millis - homeMillis);", "return millis;", LEASES_TEST));
  }
}
