package fleet.tower.home.move;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

import fleet.tower.home.move.HomeMove.MovingHome;
import fleet.tower.lease.Age;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseState;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.lock.FreezeState;
import fleet.tower.lock.Halt;
import fleet.tower.lock.HaltSource;
import fleet.tower.lock.HolderProbe.Life;
import fleet.tower.lock.HolderProcess;
import fleet.tower.lock.MovingLocks;
import fleet.tower.lock.MovingLocks.MovingLock;
import fleet.tower.platform.sql.Session;
import fleet.tower.run.RunStore;

/**
 * What is in a home, and what prevents its move.
 *
 * @param busy work in progress, which will end without intervention
 * @param unfit what cannot be moved at all
 */
record Survey(List<MovingLock> locks, List<Halt> halts, List<String> busy, List<String> unfit,
    SortedMap<String, Long> numbers) {
  private static final String QUEUE = RunStore.QUEUE;
  private static final String UNFINISHED = "SELECT request_id, executor, intent, status FROM {table}"
      + " WHERE finished_at IS NULL ORDER BY created_at, sequence";

  private record Unfinished(String requestId, String executor, String intent, String status) {}

  static Survey of(MovingHome home, HomeDatabase source) {
    List<String> busy = new ArrayList<>();
    List<String> unfit = new ArrayList<>();
    SortedMap<String, Long> numbers = new TreeMap<>();
    for (MovingTable table : MovingTable.values()) {
      numbers.put(table.table(), source.read("SELECT COUNT(*) FROM {table}", table.table(),
          row -> row.getLong(1)).stream().findFirst().orElse(0L));
    }
    source.read(UNFINISHED, MovingTable.RUNS.table(), row -> new Unfinished(row.getString(1), row.getString(2),
        row.getString(3), row.getString(4))).stream()
        .filter(run -> !run.executor().equals(QUEUE) && home.isAlive().test(run.executor()))
        .forEach(run -> busy.add("run " + run.requestId() + " of intent " + run.intent() + " is " + run.status()));
    MovingLocks files = home.locks();
    List<MovingLock> locks = files == null ? List.of() : files.read();
    for (MovingLock lock : locks) {
      examine(lock, home, busy, unfit);
    }
    HaltSource.InForce halts = home.halts().inForce();
    halts.unreadable().forEach(halt -> unfit.add("halt " + halt.name() + ": " + halt.path() + " cannot be read: "
        + halt.problem() + "; `tower unhalt " + halt.name() + "`"));
    numbers.put("halts", (long) halts.halts().size());
    numbers.put("locks", (long) locks.size());
    numbers.put("locks_held", locks.stream().filter(lock -> lock.state() instanceof LeaseState.Held).count());
    numbers.put("freezes", locks.stream().filter(lock -> lock.freeze() instanceof FreezeState.Frozen).count());
    return new Survey(locks, halts.halts(), busy, unfit, numbers);
  }

  private static void examine(MovingLock lock, MovingHome home, List<String> busy, List<String> unfit) {
    String name = "lock " + lock.name();
    switch (lock.state()) {
      case LeaseState.Vacant() -> {
      }
      case LeaseState.Corrupt(String problem) -> unfit.add(name + " cannot be read: " + problem
          + "; remove it with `tower force-release " + lock.name() + "`");
      case LeaseState.Unsupported(String version) -> unfit.add(name + " has version " + version
          + ", which this program does not support");
      case LeaseState.Held(Lease lease, Age age) -> {
        String holder = name + ", held by " + lease.describeHolder() + ",";
        if (lease.token().isNone() && !age.exceeds(lease.ttl())) {
          busy.add(holder + " was written by another program, which would not notice the move; release it");
        } else if (!isStorable(lease) || lease.token().compareTo(lock.counter()) < 0) {
          unfit.add(holder + " was written by another program, or its token " + lease.token()
              + " is below the counter " + lock.counter() + "; release it");
        } else if (!age.exceeds(lease.ttl()) && HolderProcess.of(lease).isPresent()
            && home.holders().examine(lease) == Life.UNKNOWN) {
          busy.add(holder + " is renewed by process " + lease.holder().pid());
        }
      }
    }
    if (lock.freeze() instanceof FreezeState.Corrupt(String path, String problem)) {
      unfit.add(name + " is frozen by " + path + ", which cannot be read: " + problem + "; `tower unfreeze "
          + lock.name() + "`");
    }
  }

  /** Whether the database can keep a lease: its limits are those of this program. */
  private static boolean isStorable(Lease lease) {
    return RequestId.isValid(lease.requestId().value()) && Ttl.isValid(lease.ttl().seconds())
        && lease.token().compareTo(FencingToken.NONE) > 0;
  }

  /** Everything that the database has under the same names, as people know it. */
  List<String> clashes(HomeDatabase source, Session target) throws SQLException {
    List<String> clashes = new ArrayList<>();
    for (MovingTable table : MovingTable.values()) {
      clashes.addAll(TableCopy.clashes(source, table, target));
    }
    for (MovingLock lock : locks) {
      Optional<String> clash = LockCopy.clash(lock, target);
      clash.ifPresent(clashes::add);
    }
    for (Halt halt : halts) {
      HaltCopy.clash(halt, target).ifPresent(clashes::add);
    }
    return clashes;
  }

  HomeMove.Report report(String to) {
    return new HomeMove.Report(to, numbers);
  }
}
