package fleet.tower.bench;

import static fleet.tower.lease.Actors.ACTOR;

import java.nio.file.Files;
import java.nio.file.Path;

import fleet.tower.audit.AuditLog;
import fleet.tower.audit.jsonl.AuditFiles;
import fleet.tower.lease.Actor;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.HeldLease;
import fleet.tower.lease.Holder;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.AcquireRequest;
import fleet.tower.lock.LockStore;
import fleet.tower.lock.Locks;
import fleet.tower.lock.ReleaseOutcome;
import fleet.tower.lock.RenewOutcome;
import fleet.tower.lock.file.FileLocks;
import fleet.tower.performance.Measure;
import fleet.tower.performance.Report;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.platform.time.TimeSource;

/** A benchmark of the lock on files against its minimal system calls. */
final class LockBench {
  private static final Holder HOLDER = new Holder("bench", "bench", "1", "here", 1, false);
  private static final AuditLog SILENT = _ -> true;
  private static final TimeSource TIME = SystemTime.source();
  private static final Scheduler SCHEDULER = SystemTime.scheduler();

  private final Path base;

  LockBench(Path base) {
    this.base = base;
  }

  void run(Report report) throws Exception {
    try (LockStore store = open(base.resolve("locks"))) {
      acquireAndRelease(store, 1).report(report, Measure.ACQUIRE);
      acquireAndRelease(store, 8).report(report, Measure.ACQUIRE_8);
      refused(store).report(report, Measure.REFUSED);
      heartbeat(store).report(report, Measure.HEARTBEAT);
      audited(store).report(report, Measure.AUDITED);
    }
  }

  static LockStore open(Path directory) {
    return locks(directory).open();
  }

  private static FileLocks locks(Path directory) {
    return new FileLocks(directory, true, TIME, SCHEDULER, SILENT, System.err::println);
  }

  static AcquireRequest request(String name, String id) {
    return new AcquireRequest(new LeaseName(name), new RequestId(id), HOLDER, Ttl.DEFAULT, false,
        AcquireRequest.Metadata.NONE, AcquireRequest.Reentry.NEVER, new Actor(HOLDER.actor(), null, null), null);
  }

  private Comparison acquireAndRelease(LockStore store, int threads) throws Exception {
    Path directory = Files.createDirectories(base.resolve("bare-" + threads));
    return Comparison.of(15, 200, Clients.each(threads, thread -> hold(store, "name-" + thread)),
        Clients.each(threads, thread -> {
          BareFiles bare = new BareFiles(directory, "name-" + thread);
          bare.acquire();
          bare.release();
        }));
  }

  private static void hold(LockStore store, String name) {
    AcquireRequest request = request(name, "owner");
    expect(store.acquire(request) instanceof AcquireOutcome.Granted);
    expect(store.release(request.name(), request.owner(), FencingToken.NONE) instanceof ReleaseOutcome.Released);
  }

  private static Comparison refused(LockStore store) throws Exception {
    expect(store.acquire(request("held", "owner")) instanceof AcquireOutcome.Granted);
    AcquireRequest second = request("held", "second");
    return Comparison.of(15, 200, n -> {
      for (int i = 0; i < n; i++) {
        expect(store.acquire(second) instanceof AcquireOutcome.Refused);
      }
    }, n -> {
      for (int i = 0; i < n; i++) {
        hold(store, "granted");
      }
    });
  }

  private Comparison heartbeat(LockStore store) throws Exception {
    AcquireRequest owner = request("beating", "owner");
    if (!(store.acquire(owner) instanceof AcquireOutcome.Granted(HeldLease held, var _))) {
      throw new IllegalStateException("the lock to be renewed was not granted");
    }
    FencingToken token = held.lease().token();
    BareFiles files = new BareFiles(Files.createDirectories(base.resolve("bare-heartbeat")), "name");
    return Comparison.of(21, 500, n -> {
      for (int i = 0; i < n; i++) {
        expect(store.renew(owner.name(), owner.owner(), token) instanceof RenewOutcome.Renewed);
      }
    }, n -> {
      for (int i = 0; i < n; i++) {
        files.heartbeat();
      }
    });
  }

  private Comparison audited(LockStore store) throws Exception {
    AuditFiles files = new AuditFiles(base.resolve("audit"), SCHEDULER, System.err::println);
    FileLocks.Opened opened = locks(base.resolve("audited")).open(files.recorded());
    AcquireRequest request = request("audited", "owner");
    try (LockStore journalled = opened.store()) {
      Locks locks = BenchLocks.of(journalled, files.log(opened.recorder()), TIME);
      return Comparison.of(15, 100, n -> {
        for (int i = 0; i < n; i++) {
          expect(locks.acquire(request) instanceof AcquireOutcome.Granted);
          expect(locks.release(ACTOR, request.name(), request.owner(), FencingToken.NONE, Locks.Result.SUCCESS,
              null) instanceof ReleaseOutcome.Released);
        }
      }, n -> {
        for (int i = 0; i < n; i++) {
          hold(store, "unaudited");
        }
      });
    }
  }

  static void expect(boolean condition) {
    if (!condition) {
      throw new IllegalStateException("the measured operation did not do what it was measured for");
    }
  }
}
