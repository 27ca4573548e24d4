package fleet.tower.foreign;

import java.util.Optional;
import java.util.OptionalLong;

import fleet.tower.foreign.ExclusiveRecord.Mark;
import fleet.tower.foreign.ProcessProbe.Life;
import fleet.tower.foreign.ProcessProbe.Realm;

/**
 * The consumer's side of the exclusive-lock protocol, as its document and its program have it, row by row:
 *
 * <ol>
 * <li>No file: proceed.
 * <li>A file that cannot be read: skip, and say so.
 * <li>No JSON, or empty: skip, and say so.
 * <li>Without holder, pid above 0, hostname or started_at: skip, and say so.
 * <li>Of another host, whatever the case of its letters: skip.
 * <li>Of this host, and alive, or nobody may ask (EPERM), or asking failed in any way but ESRCH: skip.
 * <li>Of this host, and certainly dead (ESRCH): stale; remove it and proceed.
 * <li>The same, but it cannot be removed: skip, and say so.
 * <li>This host does not know its own name: skip.
 * </ol>
 *
 * Removing is the store's part, so the eighth row is too. A number that was given to another process would block for ever; so
 * where the holder was one of ours and has said which process exactly, that is compared as well.
 */
public final class ExclusiveRules {
  private ExclusiveRules() {}

  /** What lies where the lock would be. */
  public sealed interface Content {}

  /** Nothing. */
  public record Nothing() implements Content {}

  /** Something that cannot be read. */
  public record Unreadable(String problem) implements Content {}

  /** These bytes. */
  public record Bytes(byte[] bytes) implements Content {}

  /** How a lock stands; {@link ForeignLockState.Stale} for what may be removed. */
  public static ForeignLockState judge(Content content, ProcessProbe witness) {
    return switch (content) {
      case Nothing() -> new ForeignLockState.Free();
      case Unreadable(String problem) -> new ForeignLockState.Doubtful("failed to read lock file: " + problem, null);
      case Bytes(byte[] bytes) -> switch (ExclusiveRecord.read(bytes)) {
        case ExclusiveRecord.Unfit(String problem) -> new ForeignLockState.Doubtful(problem, null);
        case ExclusiveRecord.Valid(ExclusiveRecord record) -> isStale(record, witness)
            ? new ForeignLockState.Stale(record.occupant())
            : new ForeignLockState.Held(record.occupant());
      };
    };
  }

  private static boolean isStale(ExclusiveRecord record, ProcessProbe witness) {
    boolean isHere = witness.hostname().filter(record.hostname()::equalsIgnoreCase).isPresent();
    if (!isHere) {
      return false;
    }
    Life life = witness.life(record.pid());
    Mark mark = record.process();
    return mark == null ? life == Life.GONE : isStale(mark, record.pid(), life, witness);
  }

  /** A holder of ours has ended with its boot; within another world of processes nobody here can say anything of it. */
  private static boolean isStale(Mark mark, long pid, Life life, ProcessProbe witness) {
    Optional<Realm> realm = witness.realm();
    if (realm.isEmpty()) {
      return life == Life.GONE;
    }
    if (!mark.realm().bootId().equals(realm.get().bootId())) {
      return true;
    }
    if (!mark.realm().pidNamespace().equals(realm.get().pidNamespace())) {
      return false;
    }
    OptionalLong startTicks = witness.startTicks(pid);
    boolean isAnother = startTicks.isPresent() && startTicks.getAsLong() != mark.startTicks();
    return isAnother || life == Life.GONE || life == Life.ENDED;
  }
}
