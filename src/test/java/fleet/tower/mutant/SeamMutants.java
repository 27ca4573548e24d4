package fleet.tower.mutant;

import java.util.List;

/** Bugs in other rooms that tests missed once. */
final class SeamMutants {
  private static final String STATEMENTS = "lock/sql/LockStatements";
  private static final String OWNERSHIP_TEST = "service/web/FileOwnershipTest";

  private SeamMutants() {}

  static List<RoomMutant> all() {
    return List.of(
        RoomMutant.of("forced release in PostgreSQL wakes nobody", STATEMENTS,
            "freeing(\", lock_version = 'v1'\", \"name = ? AND CAST(l AS TEXT) = ?\");",
            "freeing(\", lock_version = 'v1'\", \"name = ? AND CAST(l AS TEXT) = ?\").replace(NOTIFY, \"\");",
            "lock/sql/FleetWaitingTest#forcedRelease"),
        RoomMutant.of("heartbeat in PostgreSQL with an older token", STATEMENTS, "asked.token IN (0, l.token)",
            "(asked.token = 0 OR asked.token <= l.token)",
            "lock/sql/SqlLockStoreContractTest#anOldTokenOwnsNothing"),
        RoomMutant.of("release in PostgreSQL with an older token", STATEMENTS, "CAST(:token AS BIGINT) IN (0, token)",
            "CAST(:token AS BIGINT) <= token", "lock/sql/SqlLockStoreContractTest#anOldTokenOwnsNothing"),
        RoomMutant.of("lifted freeze stays in the overview", "service/call/overview/LockSource",
            "      rows.remove(FREEZES, name.value());\n", "", "service/call/overview/LockSourceTest"),
        RoomMutant.of("X-Actor cancels another's run", "operation/RunHandlers",
            "caller.requireOwn(handle.run().actor().name(), \"cancel run \" + id);",
            "caller.requireOwn(handle.run().actor().name().equals(caller.onBehalfOf()) ? caller.name()"
                + " : handle.run().actor().name(), \"cancel run \" + id);",
            OWNERSHIP_TEST + "#onBehalfOfTheOwner"),
        RoomMutant.of("X-Actor releases another's lock", "operation/LockHandlers",
            "request.given().orNull(LockOperations.OWNER) : caller.name()",
            "request.given().orNull(LockOperations.OWNER)"
                + " : caller.onBehalfOf() == null ? caller.name() : caller.onBehalfOf()",
            OWNERSHIP_TEST + "#onBehalfOfTheOwner"));
  }
}
