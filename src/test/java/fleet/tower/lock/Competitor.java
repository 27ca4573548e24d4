package fleet.tower.lock;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Function;

import fleet.tower.lease.FencingToken;
import fleet.tower.lease.HeldLease;
import fleet.tower.lease.Holder;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.Owner;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.time.FineClock;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.platform.time.TimeSource;

/** A competitor for a lock: acquires, holds, renews and releases it continuously, and logs when it held it. */
public final class Competitor {
  public static final List<LeaseName> NAMES = List.of(new LeaseName("anvil"), new LeaseName("horn"),
      new LeaseName("tongs"));
  /** The resolution of the clock that a tenure's deadline is on. */
  private static final long TICK_NANOS = 10_000_000;
  private static final Duration LONGER_THAN_ANY_RUN = Duration.ofMinutes(15);

  private final TimeSource time = SystemTime.source();
  private final Scheduler scheduler = SystemTime.scheduler();
  private final Random random;
  private final String id;
  private final LeaseName name;
  private final FileOutputStream history;
  private final LockStore store;

  private Competitor(LockStore store, String id, LeaseName name, FileOutputStream history) {
    this.store = store;
    this.id = id;
    this.name = name;
    this.random = new Random((id + name).hashCode());
    this.history = history;
  }

  /**
   * Competes for each name on a separate thread, until the parent process, which holds the other end of stdin, ends.
   */
  public static void competeAll(String id, String historyFile, Function<LeaseName, LockStore> stores)
      throws InterruptedException {
    endWithParent();
    List<Thread> threads = new ArrayList<>();
    for (LeaseName name : NAMES) {
      threads.add(Thread.ofPlatform().start(() -> fight(stores.apply(name), id, historyFile, name)));
    }
    for (Thread thread : threads) {
      thread.join();
    }
  }

  private static void fight(LockStore store, String id, String historyFile, LeaseName name) {
    try (FileOutputStream history = new FileOutputStream(historyFile + "-" + name, true)) {
      Competitor competitor = new Competitor(store, id, name, history);
      for (int round = 0;; round++) {
        competitor.round(new RequestId("req_" + id + "_" + round));
      }
    } catch (Throwable e) {
      StringWriter trace = new StringWriter();
      trace.append(e.toString());
      for (StackTraceElement element : e.getStackTrace()) {
        trace.append("\n  at ").append(element.toString());
      }
      System.err.println(trace);
      Runtime.getRuntime().halt(4);
    }
  }

  private static void endWithParent() {
    SystemTime.scheduler().after(LONGER_THAN_ANY_RUN, () -> Runtime.getRuntime().halt(3));
    Thread.ofPlatform().daemon().start(() -> {
      try {
        while (System.in.read() >= 0) {
          // The parent writes nothing; the end of the input is the end of the parent.
        }
      } catch (IOException sameThing) {
        // The process halts below.
      }
      Runtime.getRuntime().halt(2);
    });
  }

  private void round(RequestId requestId) throws IOException {
    Holder holder = new Holder("hammer", "hammer", "1", "here", ProcessHandle.current().pid(), false);
    try {
      switch (store.acquire(TestRequest.of(name, requestId, holder, new Ttl(1), random.nextBoolean()))) {
        case AcquireOutcome.Granted(var held, var previous) -> {
          write("enter", held.lease().token(), FineClock.nanos(), deadline(held), previous != null);
          hold(requestId, held.lease().token());
        }
        case AcquireOutcome.Refused _ -> pause(2 + random.nextInt(8));
        case AcquireOutcome.Kept kept -> write("kept", kept.lease().lease().token(), 0, 0, false);
        case AcquireOutcome.Undone undone -> write("undone", undone.lease().token(), 0, 0, false);
      }
    } catch (StorageException e) {
      history.write(("error 0 0 0 false " + e.getMessage() + "\n").getBytes(StandardCharsets.UTF_8));
      pause(50);
    }
  }

  private void hold(RequestId requestId, FencingToken token) throws IOException {
    for (int beats = random.nextInt(3); beats > 0; beats--) {
      pause(1 + random.nextInt(15));
      if (!(store.renew(name, Owner.ofAnyActor(requestId),
          token) instanceof RenewOutcome.Renewed(HeldLease held, long _))) {
        write("lost", token, FineClock.nanos(), 0, false);
        return;
      }
      write("renew", token, FineClock.nanos(), deadline(held), false);
    }
    pause(random.nextInt(80) == 0 ? 2500 : random.nextInt(10));
    write("exit", token, FineClock.nanos(), 0, false);
    if (!(store.release(name, Owner.ofAnyActor(requestId), token) instanceof ReleaseOutcome.Released)) {
      write("overtaken", token, 0, 0, false);
    }
  }

  /**
   * The lease's deadline on the fine clock, read first: a pause between the two readings makes it too early, never too
   * late.
   */
  private long deadline(HeldLease held) {
    long fine = FineClock.nanos();
    return fine + (held.deadlineNanos() - time.nanos()) - TICK_NANOS;
  }

  private void pause(int millis) {
    scheduler.pause(Duration.ofMillis(millis));
  }

  private void write(String what, FencingToken token, long at, long deadline, boolean stolen) throws IOException {
    String line = what + " " + token + " " + at + " " + deadline + " " + stolen + " " + id + "\n";
    history.write(line.getBytes(StandardCharsets.UTF_8));
  }
}
