package fleet.tower.lock.queue.file;

import static fleet.tower.lease.Actors.ACTOR;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.audit.AuditEvent;
import fleet.tower.harness.Await;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.lease.Decision;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.Owner;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.LockStore;
import fleet.tower.lock.LockView;
import fleet.tower.lock.Locks;
import fleet.tower.lock.RecordedAudit;
import fleet.tower.lock.TestLocks;
import fleet.tower.lock.TestRequest;
import fleet.tower.lock.file.FileLocks;
import fleet.tower.lock.queue.Wait;
import fleet.tower.lock.queue.WaitOutcome;
import fleet.tower.lock.queue.WaitQueue;
import fleet.tower.lock.queue.WaitQueue.WaitingRequest;
import fleet.tower.platform.Presence;
import fleet.tower.platform.disk.ProcessFiles;
import fleet.tower.platform.time.Cancellation;
import fleet.tower.platform.time.FineClock;
import fleet.tower.platform.time.ManualTime;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.platform.time.WakeUp;

@DisplayName("Threads that wait for a lock on real files")
class WaitingTest {
  private static final Duration LONG = Duration.ofMinutes(4);
  private static final Duration BRIEF = Duration.ofSeconds(3);
  private static final LeaseName PROD = new LeaseName("prod");

  /** Decides about leases, and about the limits of waits; the timers of waits are real. */
  private final ManualTime clock = new ManualTime();
  private final Scheduler scheduler = SystemTime.scheduler();
  private final RecordedAudit audit = new RecordedAudit();
  private final List<String> warnings = new CopyOnWriteArrayList<>();
  private final List<String> granted = new CopyOnWriteArrayList<>();
  private final Path directory;
  private final Presence presence;
  private final LockStore store;
  private final WaitQueue line;
  private final Locks locks;

  WaitingTest(@TempDir Path temp) {
    directory = temp.resolve("logs/locks");
    presence = new ProcessFiles(temp.resolve("state/processes")).open();
    store = new FileLocks(directory, true, clock, scheduler, audit, _ -> {}).open();
    line = new WaitQueueFiles(directory, presence, warnings::add).open();
    locks = locks(line);
  }

  @AfterEach
  void end() {
    store.close();
    presence.close();
    assertThat(warnings).isEmpty();
  }

  private Locks locks(WaitQueue other) {
    return TestLocks.of(store, audit, clock, other);
  }

  private Wait upTo(Duration limit) {
    return new Wait(limit, scheduler, (_, _, _) -> {}, new Cancellation());
  }

  private CompletableFuture<WaitOutcome<AcquireOutcome, Decision.Obstacle>> start(TestRequest asking, Wait wait) {
    return start(locks, asking, wait);
  }

  /** Starts a waiter, and records the order of grants. */
  private CompletableFuture<WaitOutcome<AcquireOutcome, Decision.Obstacle>> start(Locks through, TestRequest asking,
      Wait wait) {
    CompletableFuture<WaitOutcome<AcquireOutcome, Decision.Obstacle>> ended = new CompletableFuture<>();
    Thread.ofVirtual().start(() -> {
      try {
        var outcome = through.acquire(asking.request(), wait);
        if (isGranted(outcome)) {
          granted.add(asking.requestId().value());
        }
        ended.complete(outcome);
      } catch (RuntimeException | Error e) {
        ended.completeExceptionally(e);
      }
    });
    return ended;
  }

  private static boolean isGranted(WaitOutcome<AcquireOutcome, Decision.Obstacle> outcome) {
    return outcome instanceof WaitOutcome.Answered(AcquireOutcome.Granted _);
  }

  private void hold(String name) {
    assertThat(locks.acquire(TestRequest.by("req_holder", name).request())).isInstanceOf(AcquireOutcome.Granted.class);
  }

  private void release(String name, String owner) {
    locks.release(ACTOR, new LeaseName(name), Owner.ofAnyActor(new RequestId(owner)), FencingToken.NONE,
        Locks.Result.SUCCESS,
        null);
  }

  private Path queue(String name) {
    return directory.resolve(".queue").resolve(name);
  }

  private List<Path> tickets(String name) {
    try (Stream<Path> files = Files.list(queue(name))) {
      return files.sorted().toList();
    } catch (IOException e) {
      return List.of();
    }
  }

  private void awaitWaiters(String name, int count) {
    Await.until(count + " waiters", () -> line.length(new LeaseName(name)) == count);
  }

  private void nothingIsLeft() {
    Await.until("the queue is gone", () -> !Files.exists(queue("prod")));
    assertThat(line.length(PROD)).isZero();
  }

  @Test
  @DisplayName("A waiter is a private file with its request and when it joined, in a private directory, and never looks like a lock")
  void ticket() throws IOException {
    hold("prod");
    var waiter = start(TestRequest.by("r1", "prod"), upTo(LONG));
    awaitWaiters("prod", 1);

    assertThat(tickets("prod")).singleElement().satisfies(ticket -> {
      assertThat(ticket.getFileName().toString()).matches("0000000000000001-" + presence.id() + "-\\d+");
      Await.until("the ticket is written", () -> read(ticket).matches(
          "r1\n\\{\"actor\":\"claude-code\",\"intent\":\"deploy-app\",\"since\":\"20[^\"]+Z\"}\n"));
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(ticket))).isEqualTo("rw-------");
    });
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(queue("prod")))).isEqualTo("rwx------");
    assertThat(store.list()).extracting(LockView::name).containsExactly(PROD);
    assertThat(new FileLocks(directory, true, clock, scheduler, audit, _ -> {}).examination().examine())
        .noneMatch(finding -> finding.message().contains(".queue"));

    release("prod", "req_holder");
    assertThat(isGranted(waiter.join())).isTrue();
    nothingIsLeft();
    // Who releases and who waits write at the same time, each in order.
    assertThat(eventsOf("req_holder")).containsExactly("LockAcquired", "LockActor", "LockReleased", "LockActor");
    assertThat(eventsOf("r1")).containsExactly("LockBlocked", "LockAcquired", "LockActor");
    assertThat(audit.events()).hasSize(7);
  }

  private List<String> eventsOf(String requestId) {
    return audit.events().stream().filter(event -> new RequestId(requestId).equals(event.requestId()))
        .map(event -> event.getClass().getSimpleName()).toList();
  }

  @Test
  @DisplayName("LK-B19 waiters of one process are served in order of arrival, each by a notification")
  void inOrder() {
    hold("prod");
    // Their timers never fire, so each of them is woken by a notification.
    Wait notified = new Wait(LONG, new ManualTime(), (_, _, _) -> {});
    List<CompletableFuture<WaitOutcome<AcquireOutcome, Decision.Obstacle>>> waiters = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      waiters.add(start(TestRequest.by("r" + i, "prod"), notified));
      awaitWaiters("prod", i + 1);
    }
    long[] nanos = new long[50];
    String owner = "req_holder";
    for (int i = 0; i < 50; i++) {
      long released = FineClock.nanos();
      release("prod", owner);
      assertThat(isGranted(waiters.get(i).join())).isTrue();
      nanos[i] = FineClock.nanos() - released;
      owner = "r" + i;
    }

    assertThat(granted).isEqualTo(IntStream.range(0, 50).mapToObj(i -> "r" + i).toList());
    nothingIsLeft();
    long[] sorted = LongStream.of(nanos).sorted().toArray();
    System.out.printf("hand-over between threads: p50 %.2f ms%n", sorted[25] / 1e6);
  }

  @Test
  @DisplayName("1,000 waiters on ten names cost no platform threads, and none of them is lost")
  @ProofsProfile
  void thousand() {
    List<String> names = IntStream.range(0, 10).mapToObj(i -> "name-" + i).toList();
    names.forEach(this::hold);
    long before = platformThreads();
    List<CompletableFuture<WaitOutcome<AcquireOutcome, Decision.Obstacle>>> waiters = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      String id = "r" + i;
      String name = names.get(i % 10);
      waiters.add(start(TestRequest.by(id, name), upTo(LONG)).thenApply(outcome -> {
        release(name, id);
        return outcome;
      }));
    }
    names.forEach(name -> awaitWaiters(name, 100));

    assertThat(platformThreads() - before).isLessThan(20);
    assertThat(locks.acquire(TestRequest.by("r1001", "name-3").request(), upTo(LONG)))
        .isEqualTo(new WaitOutcome.TooManyWaiters<>(100));
    names.forEach(name -> release(name, "req_holder"));
    assertThat(waiters).allMatch(waiter -> isGranted(waiter.join()));
    assertThat(granted).hasSize(1000).doesNotHaveDuplicates();
    Await.until("all queues are gone", () -> names.stream().noneMatch(name -> Files.exists(queue(name))));
  }

  /** Without the carriers of virtual threads: a slow disk makes the JVM add some, up to a limit of its own. */
  private static long platformThreads() {
    return Stream.of(ManagementFactory.getThreadMXBean().dumpAllThreads(false, false))
        .filter(thread -> !thread.getThreadName().startsWith("ForkJoinPool-")).count();
  }

  @Test
  @DisplayName("A waiting request does not overtake earlier waiters; a request without waiting may take a free lock")
  void overtaking() {
    hold("prod");
    release("prod", "req_holder");
    WaitQueue.JoinOutcome standing = line.join(PROD, new WaitingRequest(new RequestId("r0"), null, null, null),
        new WakeUp());
    assertThat(standing).isInstanceOf(WaitQueue.JoinOutcome.Joined.class);
    var waiter = start(TestRequest.by("r1", "prod"), upTo(LONG));
    awaitWaiters("prod", 2);
    assertThat(waiter).isNotDone();

    assertThat(locks.acquire(TestRequest.by("r2", "prod").request())).isInstanceOf(AcquireOutcome.Granted.class);
    if (standing instanceof WaitQueue.JoinOutcome.Joined(WaitQueue.Place place)) {
      place.close();
    }
    release("prod", "r2");
    assertThat(isGranted(waiter.join())).isTrue();
  }

  @Test
  @DisplayName("LK-25 LK-B6 a lock that goes stale ends all waits with the stale refusal, and is stolen by a "
      + "request with force")
  void stale() {
    assertThat(locks.acquire(TestRequest.by("req_holder", "prod").withTtl(3).request()))
        .isInstanceOf(AcquireOutcome.Granted.class);
    var first = start(TestRequest.by("r1", "prod"), upTo(LONG));
    awaitWaiters("prod", 1);
    var second = start(TestRequest.by("r2", "prod"), upTo(LONG));
    awaitWaiters("prod", 2);
    var forced = start(TestRequest.by("r3", "prod").withForce(), upTo(LONG));
    awaitWaiters("prod", 3);

    clock.advance(Duration.ofSeconds(5));

    for (var refused : List.of(first, second)) {
      assertThat(refused.join())
          .matches(outcome -> outcome instanceof WaitOutcome.Answered(AcquireOutcome.Refused(Decision.Stale _)));
    }
    assertThat(forced.join())
        .matches(outcome -> outcome instanceof WaitOutcome.Answered(AcquireOutcome.Granted(var _, var previous))
            && previous != null);
    nothingIsLeft();
  }

  @Test
  @DisplayName("A cancelled wait ends at once, even in the middle of the queue, and leaves no ticket")
  void cancelled() {
    hold("prod");
    Cancellation cancellation = new Cancellation();
    Wait cancellable = new Wait(LONG, scheduler, (_, _, _) -> {}, cancellation);
    var first = start(TestRequest.by("r1", "prod"), upTo(LONG));
    awaitWaiters("prod", 1);
    var second = start(TestRequest.by("r2", "prod"), cancellable);
    awaitWaiters("prod", 2);

    cancellation.cancel();

    assertThat(second.join()).isInstanceOf(WaitOutcome.Cancelled.class);
    assertThat(tickets("prod")).hasSize(1);
    assertThat(start(TestRequest.by("r3", "prod"), cancellable).join()).isInstanceOf(WaitOutcome.Cancelled.class);
    release("prod", "req_holder");
    assertThat(isGranted(first.join())).isTrue();
    nothingIsLeft();
  }

  @Test
  @DisplayName("A wait that reaches its limit names the current holder; the next waiter moves up")
  void inVain() {
    hold("prod");
    List<Integer> positions = new CopyOnWriteArrayList<>();
    var first = start(TestRequest.by("r1", "prod"), upTo(BRIEF));
    awaitWaiters("prod", 1);
    var second = start(TestRequest.by("r2", "prod"),
        new Wait(LONG, scheduler, (_, _, position) -> positions.add(position)));
    Await.until("the second reports its position", () -> !positions.isEmpty());

    clock.advance(BRIEF);

    assertThat(first.join()).matches(outcome -> outcome instanceof WaitOutcome.TimedOut(Decision.Blocked blocked)
        && blocked.lease().requestId().value().equals("req_holder"));
    awaitWaiters("prod", 1);
    assertThat(positions).containsExactly(1);
    assertThat(locks.acquire(TestRequest.by("r3", "prod").request(), upTo(Duration.ZERO)))
        .isInstanceOf(WaitOutcome.TimedOut.class);
    release("prod", "req_holder");
    assertThat(isGranted(second.join())).isTrue();
    assertThat(audit.events()).filteredOn(AuditEvent.LockBlocked.class::isInstance).hasSize(3);
    nothingIsLeft();
  }

  @Test
  @DisplayName("Interrupts of waiters break nothing and are preserved")
  void interrupted() throws InterruptedException {
    hold("prod");
    List<Boolean> kept = new CopyOnWriteArrayList<>();
    List<Thread> threads = IntStream.range(0, 5).mapToObj(i -> Thread.ofVirtual().start(() -> {
      var outcome = locks.acquire(TestRequest.by("r" + i, "prod").request(), upTo(LONG));
      kept.add(isGranted(outcome) && Thread.currentThread().isInterrupted());
      release("prod", "r" + i);
    })).toList();
    awaitWaiters("prod", 5);
    threads.forEach(Thread::interrupt);
    release("prod", "req_holder");
    for (Thread thread : threads) {
      thread.join();
    }

    assertThat(kept).hasSize(5).containsOnly(true);
    nothingIsLeft();
  }

  @Test
  @DisplayName("Tickets deleted under two queues of one process are recreated, and no waiter is lost")
  void deleted() throws IOException {
    hold("prod");
    Locks second = locks(new WaitQueueFiles(directory, presence, warnings::add).open());
    var one = start(TestRequest.by("r1", "prod"), upTo(LONG));
    awaitWaiters("prod", 1);
    var two = start(second, TestRequest.by("r2", "prod"), upTo(LONG));
    var three = start(TestRequest.by("r3", "prod"), upTo(LONG));
    awaitWaiters("prod", 3);
    for (Path ticket : tickets("prod")) {
      Files.deleteIfExists(ticket);
    }
    awaitWaiters("prod", 3);

    release("prod", "req_holder");
    for (int i = 1; i <= 3; i++) {
      int expected = i;
      Await.until(expected + " grants", () -> granted.size() == expected);
      release("prod", granted.getLast());
    }
    assertThat(Stream.of(one, two, three)).allMatch(waiter -> isGranted(waiter.join()));
    nothingIsLeft();
  }

  @Test
  @DisplayName("Without notifications, a release and a leaving head are still noticed")
  void lostNotices() {
    for (boolean isTold : List.of(true, false)) {
      hold("prod");
      Locks deaf = locks(new UnnotifiedQueue(line, isTold));
      var first = start(deaf, TestRequest.by("r1", "prod"), upTo(BRIEF));
      awaitWaiters("prod", 1);
      var second = start(
          locks(new UnnotifiedQueue(new WaitQueueFiles(directory, presence, warnings::add).open(), isTold)),
          TestRequest.by("r2", "prod"), upTo(LONG));
      awaitWaiters("prod", 2);
      clock.advance(BRIEF);
      assertThat(first.join()).isInstanceOf(WaitOutcome.TimedOut.class);
      release("prod", "req_holder");
      assertThat(isGranted(second.join())).isTrue();
      release("prod", "r2");
      nothingIsLeft();
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      return "";
    }
  }
}
