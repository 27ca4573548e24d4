package fleet.tower.bench;

import static fleet.tower.lease.Actors.ACTOR;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

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
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.platform.time.system.SystemTime;

/** A benchmark of the lock on files against its minimal system calls. */
final class LockBench {
  private static final Holder HOLDER = new Holder("bench", "bench", "1", "here", 1, false);
  private static final AuditLog SILENT = _ -> true;

  private final Path base;
  private final TimeSource time = SystemTime.source();
  private final Scheduler scheduler = SystemTime.scheduler();

  LockBench(Path base) {
    this.base = base;
  }

  void run() throws Exception {
    try (LockStore store = open(base.resolve("locks"))) {
      acquireAndRelease(store, 1, 200);
      acquireAndRelease(store, 8, 200);
      refused(store);
      heartbeat(store);
      audited(store);
    }
  }

  LockStore open(Path directory) {
    return locks(directory).open();
  }

  private FileLocks locks(Path directory) {
    return new FileLocks(directory, true, time, scheduler, SILENT, System.err::println);
  }

  static AcquireRequest request(String name, String id) {
    return new AcquireRequest(new LeaseName(name), new RequestId(id), HOLDER, Ttl.DEFAULT, false,
        AcquireRequest.Metadata.NONE, AcquireRequest.Reentry.NEVER, new Actor(HOLDER.actor(), null, null), null);
  }

  private void acquireAndRelease(LockStore store, int threads, int times) throws Exception {
    Path bare = Files.createDirectories(base.resolve("bare-" + threads));
    new Comparison("acquire + release, " + threads + (threads == 1 ? " thread" : " threads"), "durable, guarded",
        "the same system calls, bare", 1.5).measure(15, times, each(threads, (thread, n) -> {
          for (int i = 0; i < n; i++) {
            hold(store, "name-" + thread);
          }
        }), each(threads, (thread, n) -> {
          BareFiles files = new BareFiles(bare, "name-" + thread);
          for (int i = 0; i < n; i++) {
            files.acquire();
            files.release();
          }
        }));
  }

  private static void hold(LockStore store, String name) {
    AcquireRequest request = request(name, "owner");
    expect(store.acquire(request) instanceof AcquireOutcome.Granted);
    expect(store.release(request.name(), request.owner(), FencingToken.NONE) instanceof ReleaseOutcome.Released);
  }

  private void refused(LockStore store) throws Exception {
    expect(store.acquire(request("held", "owner")) instanceof AcquireOutcome.Granted);
    AcquireRequest second = request("held", "second");
    new Comparison("refused acquire", "refused", "granted + released", 0.2).measure(15, 200, n -> {
      for (int i = 0; i < n; i++) {
        expect(store.acquire(second) instanceof AcquireOutcome.Refused);
      }
    }, n -> {
      for (int i = 0; i < n; i++) {
        hold(store, "granted");
      }
    });
  }

  private void heartbeat(LockStore store) throws Exception {
    AcquireRequest owner = request("beating", "owner");
    if (!(store.acquire(owner) instanceof AcquireOutcome.Granted(HeldLease held, var _))) {
      throw new IllegalStateException("the lock to be renewed was not granted");
    }
    FencingToken token = held.lease().token();
    BareFiles files = new BareFiles(Files.createDirectories(base.resolve("bare-heartbeat")), "name");
    new Comparison("heartbeat", "read, checked, renamed", "temp + rename, bare", 1.5).measure(21, 500, n -> {
      for (int i = 0; i < n; i++) {
        expect(store.renew(owner.name(), owner.owner(), token) instanceof RenewOutcome.Renewed);
      }
    }, n -> {
      for (int i = 0; i < n; i++) {
        files.heartbeat();
      }
    });
  }

  private void audited(LockStore store) throws Exception {
    AuditFiles files = new AuditFiles(base.resolve("audit"), scheduler, System.err::println);
    FileLocks.Opened opened = locks(base.resolve("audited")).open(files.recorded());
    AcquireRequest request = request("audited", "owner");
    try (LockStore journalled = opened.store()) {
      Locks locks = BenchLocks.of(journalled, files.log(opened.recorder()), time);
      new Comparison("with two durable audit events", "acquire + release + audit", "acquire + release", 1.5)
          .measure(15, 100, n -> {
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

  /** The work of one thread of several. */
  private interface Share {
    void run(int thread, int times) throws IOException;
  }

  /** The same work on several threads at once; the time of one operation is that of all threads together. */
  private static Comparison.Work each(int threads, Share share) {
    return times -> {
      try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
        List<Future<?>> shares = new ArrayList<>();
        for (int thread = 0; thread < threads; thread++) {
          int number = thread;
          shares.add(pool.submit(() -> {
            share.run(number, times);
            return null;
          }));
        }
        for (Future<?> one : shares) {
          one.get();
        }
      }
    };
  }

  static void expect(boolean condition) {
    if (!condition) {
      throw new IllegalStateException("the measured operation did not do what it was measured for");
    }
  }
}
