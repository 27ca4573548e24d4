package fleet.tower.mutant;

import java.util.List;

/** Bugs in rights, tokens and places. */
final class AccessMutants {
  private static final String STORED = "access/StoredAccess";
  private static final String PLACES = "access/Places";
  private static final String CALLER_TEST = "access/CallerTest";
  private static final String PLACES_TEST = "access/PlacesTest";
  private static final String FILE_TEST = "access/file/TokensFileTest";
  private static final String CONTRACT_TEST = "access/file/FileTokensContractTest";
  private static final String ROTATION_TEST = "access/file/RotationTest";
  private static final String SYNC_TEST = "access/file/TokensSyncTest";

  private AccessMutants() {}

  static List<RoomMutant> all() {
    return List.of(
        RoomMutant.of("X-Actor counts as the owner", "access/Caller", "if (!owner.equals(name) && ",
            "if (!owner.equals(name) && !owner.equals(onBehalfOf) && ", CALLER_TEST),
        RoomMutant.of("claims belong to the principal", "access/Caller",
            "credential.equals(Credential.NONE) ? null : name",
            "credential.equals(Credential.NONE) ? null : onBehalfOf == null ? name : onBehalfOf", CALLER_TEST),
        RoomMutant.of("viewer runs intents", "access/Caller", "return role.covers(Role.AGENT) && allows(intent);",
            "return role.covers(Role.VIEWER) && allows(intent);", CALLER_TEST),
        RoomMutant.of("tasks of no project for a token with projects", "access/Scope",
            "(project != null && allows(tasks, project))", "project == null || allows(tasks, project)", CALLER_TEST),
        RoomMutant.of("restricted parameter without a value is allowed", "access/AllowedIntents",
            "value != null && entry", "value == null || entry", CALLER_TEST),
        RoomMutant.of("token valid in the second of its expiry", "access/Generation", "!now.isBefore(expires)",
            "now.isAfter(expires)", FILE_TEST),
        RoomMutant.of("overlap prolongs a token that ends before", "access/Generation",
            "expires != null && expires.isBefore(latest) ? this", "expires != null && expires.equals(latest) ? this",
            CONTRACT_TEST, ROTATION_TEST),
        RoomMutant.of("expired token ends no waiting call", STORED, """
            known.caller().role().covers(role)
                        && !known.token().isExpiredAt(now)) {""",
            "known.caller().role().covers(role) && now != null) {",
            CONTRACT_TEST, FILE_TEST, ROTATION_TEST),
        RoomMutant.of("lowered role ends no waiting call", STORED,
            " && known.caller().role().covers(role)\n", "\n", CONTRACT_TEST, FILE_TEST,
            "service/web/call/CredentialWatchTest"),
        RoomMutant.of("new token is unknown until the next look", STORED, "      found = match(shown, renewal);\n", "",
            ROTATION_TEST, CONTRACT_TEST),
        RoomMutant.of("revoked token accepted while it is named again", STORED,
            "known.token().sha256().equals(token.sha256()) && known", "known.caller().name() != null && known",
            CONTRACT_TEST, FILE_TEST),
        RoomMutant.of("reserve given to agents", PLACES, "taken >= limit - reserve", "taken > limit - reserve",
            PLACES_TEST),
        RoomMutant.of("share of each role instead of each name", PLACES, "placesOf(holder.name()) >= share",
            "held.getOrDefault(holder, 0) >= share", PLACES_TEST),
        RoomMutant.of("place given back twice", PLACES, "if (isTaken.getAndSet(false)) {", "if (isTaken.get()) {",
            PLACES_TEST),
        RoomMutant.of("name of new tokens not synced", "access/file/TokensEditor",
            "    OwnerOnly.sync(path.resolveSibling(\"\"));\n", "", SYNC_TEST),
        RoomMutant.of("text of new tokens not synced", "access/file/Replacement",
            "WrittenFile.write(fresh, text.getBytes(StandardCharsets.UTF_8))",
            "Files.write(fresh, text.getBytes(StandardCharsets.UTF_8))", SYNC_TEST),
        RoomMutant.of("tokens overwritten in place", "access/file/Replacement",
            "Files.move(fresh, path, StandardCopyOption.ATOMIC_MOVE);",
            "Files.copy(fresh, path, StandardCopyOption.REPLACE_EXISTING);", SYNC_TEST, FILE_TEST, ROTATION_TEST),
        RoomMutant.of("concurrent changes of tokens", "access/file/TokensEditor",
            "try (FileChannel guard = guard(); FileLock _ = guard.lock()) {", "try (FileChannel _ = guard()) {",
            "access/file/ConcurrentTokensTest"),
        RoomMutant.of("file of tokens that a group can write", "access/file/TokensFile",
            "permissions.contains(PosixFilePermission.GROUP_WRITE)\n          || ", "", FILE_TEST),
        RoomMutant.of("file of tokens of another user", "access/file/TokensFile",
            "if (!owner.equals(0) && !isOurs(owner)) {", "if (!owner.equals(0) && isOurs(owner)) {", FILE_TEST));
  }
}
