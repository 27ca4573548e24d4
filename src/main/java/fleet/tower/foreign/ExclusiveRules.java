package fleet.tower.foreign;

import java.util.Optional;
import java.util.OptionalLong;

import fleet.tower.foreign.ExclusiveRecord.Mark;
import fleet.tower.foreign.ProcessProbe.Life;
import fleet.tower.foreign.ProcessProbe.Realm;

/**
 * The consumer's side of the exclusive-lock protocol, case by case, as its document and its program define it:
 *
 * <ol>
 * <li>No file: proceed.
 * <li>Unreadable file: skip and report.
 * <li>Not JSON, or empty: skip and report.
 * <li>No holder, no pid above 0, no hostname or no started_at: skip and report.
 * <li>Another host, compared without case: skip.
 * <li>This host, and alive, not accessible (EPERM), or any error but ESRCH: skip.
 * <li>This host, and certainly dead (ESRCH): stale; remove it and proceed.
 * <li>The same, but removal fails: skip and report.
 * <li>This host does not know its own name: skip.
 * </ol>
 *
 * Removal, and so the eighth case, is the store's task. A reused process number would block for ever; so if the holder
 * is a Tower process, which records its exact identity, that is compared too.
 */
public final class ExclusiveRules {
  private ExclusiveRules() {}

  /** What is at the lock's path. */
  public sealed interface Content {}

  /** No file. */
  public record Nothing() implements Content {}

  /** An unreadable file. */
  public record Corrupt(String problem) implements Content {}

  /** A file's content. */
  public record Bytes(byte[] bytes) implements Content {}

  /** The state of a lock; {@link ForeignLockState.Stale} if it may be removed. */
  public static ForeignLockState judge(Content content, ProcessProbe probe) {
    return switch (content) {
      case Nothing() -> new ForeignLockState.Free();
      case Corrupt(String problem) -> new ForeignLockState.Doubtful("failed to read lock file: " + problem, null);
      case Bytes(byte[] bytes) -> switch (ExclusiveRecord.parse(bytes)) {
        case ExclusiveRecord.Unfit(String problem) -> new ForeignLockState.Doubtful(problem, null);
        case ExclusiveRecord.Valid(ExclusiveRecord record) -> isStale(record, probe)
            ? new ForeignLockState.Stale(record.occupant())
            : new ForeignLockState.Held(record.occupant());
      };
    };
  }

  private static boolean isStale(ExclusiveRecord record, ProcessProbe probe) {
    boolean isHere = probe.hostname().filter(record.hostname()::equalsIgnoreCase).isPresent();
    if (!isHere) {
      return false;
    }
    Life life = probe.life(record.pid());
    Mark mark = record.process();
    return mark == null ? life == Life.GONE : isStale(mark, record.pid(), life, probe);
  }

  /** A Tower holder of an earlier boot is dead; one in another pid namespace cannot be judged from here. */
  private static boolean isStale(Mark mark, long pid, Life life, ProcessProbe probe) {
    Optional<Realm> realm = probe.realm();
    if (realm.isEmpty()) {
      return life == Life.GONE;
    }
    if (!mark.realm().bootId().equals(realm.get().bootId())) {
      return true;
    }
    if (!mark.realm().pidNamespace().equals(realm.get().pidNamespace())) {
      return false;
    }
    OptionalLong startTicks = probe.startTicks(pid);
    boolean isAnother = startTicks.isPresent() && startTicks.getAsLong() != mark.startTicks();
    return isAnother || life == Life.GONE || life == Life.ENDED;
  }
}
