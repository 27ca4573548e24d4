package fleet.tower.mutant;

import java.util.List;
import java.util.stream.Stream;

/** The mutants of the rooms that no simulation covers, as {@code lock.file.mutant} covers the lock. */
final class RoomMutants {
  private RoomMutants() {}

  static List<RoomMutant> all() {
    return Stream.of(RunMutants.all(), AccessMutants.all(), MailboxMutants.all(), MoveMutants.all(),
        AuditMutants.all(), SeamMutants.all(), HaltMutants.all(), ApprovalMutants.all()).flatMap(List::stream).toList();
  }
}
