package fleet.tower.lock.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Await;
import fleet.tower.harness.Extent;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseState;
import fleet.tower.lease.RenewalSchedule;
import fleet.tower.lock.LockStore;
import fleet.tower.lock.LockView;
import fleet.tower.lock.RenewOutcome;
import fleet.tower.lock.sql.FailoverClient.Given;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.sql.DedicatedServer;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.platform.time.TimeSource;

@DisplayName("A synchronous standby takes over from a server that is killed, stopped or hangs, under load")
@Timeout(value = 1800, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@ProofsProfile
class FailoverTest {
  private static final int CLIENTS = 8;
  private static final long TIMELINE = 1_000_000_000_000L;
  /** The settings of a fleet that must continue within seconds. */
  private static final String IMPATIENT = "&connectTimeout=1&socketTimeout=2&hostRecheckSeconds=1";
  private static final int ROUNDS = Extent.of(1, 9);

  private final TimeSource time = SystemTime.source();
  private final Scheduler scheduler = SystemTime.scheduler();
  private final List<FailoverClient> clients = new ArrayList<>();
  private final List<LockStore> stores = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();

  @TempDir
  private Path temp = Path.of("not-yet");

  /** How a primary ends. */
  private enum End {
    KILLED, HANGING, STOPPED_AT_ONCE
  }

  @Test
  @DisplayName("TF-1.1 every acknowledged lock survives with its owner, tokens grow over each failover, and "
      + "holders continue")
  void failovers() {
    DedicatedServer primary = DedicatedServer.begin(temp.resolve("server-0"));
    DedicatedServer standby = primary.standby(temp.resolve("server-1"));
    try {
      primary.awaitStandby();
      begin(DedicatedServer.urlOf(List.of(primary, standby)) + IMPATIENT);
      StringBuilder told = new StringBuilder("failovers:");
      for (int round = 1;; round++) {
        awaitProgress();
        End end = End.values()[(round - 1) % End.values().length];
        told.append(' ').append(end).append(' ').append(takeOver(primary, end, standby)).append(" ms");
        awaitShared((round + 1) * TIMELINE);
        assertThat(beaten().token().value()).isLessThan((round + 1) * TIMELINE);
        DedicatedServer gone = primary;
        primary = standby;
        if (round == ROUNDS) {
          break;
        }
        gone.close();
        standby = primary.standbyInPlaceOf(gone, temp.resolve("server-" + (round + 1)));
        primary.awaitStandby();
      }
      awaitProgress();
      end();
      judge(primary, told);
    } finally {
      end();
      stores.forEach(LockStore::close);
      primary.close();
      standby.close();
    }
  }

  private LockStore open(String url) {
    LockStore store = new SqlLocks(Database.at(url), time, scheduler, RenewalSchedule.DEFAULT_MAX_INTERVAL).open();
    stores.add(store);
    return store;
  }

  private void begin(String url) {
    for (int i = 0; i < CLIENTS; i++) {
      FailoverClient client = new FailoverClient("c" + i, i % 2 == 0 ? open(url) : stores.getLast());
      clients.add(client);
      threads.add(Thread.ofPlatform().daemon().start(client));
    }
  }

  /** Each of them is given some more locks. */
  private void awaitProgress() {
    List<Integer> before = clients.stream().map(FailoverClient::done).toList();
    for (int i = 0; i < CLIENTS; i++) {
      while (clients.get(i).done() < before.get(i) + 40) {
        assertThat(threads.get(i).isAlive()).isTrue();
        scheduler.pause(Duration.ofMillis(10));
      }
    }
  }

  /** The name that all want is given with a token beyond a limit. */
  private void awaitShared(long limit) {
    Await.until("a token beyond " + limit,
        () -> clients.stream().flatMap(client -> client.given().stream()).anyMatch(given -> given.token() >= limit));
  }

  /** Reports how long no lock was granted. */
  private long takeOver(DedicatedServer primary, End end, DedicatedServer standby) {
    int before = done();
    long begun = time.nanos();
    switch (end) {
      case KILLED -> primary.kill();
      case HANGING -> primary.freeze();
      case STOPPED_AT_ONCE -> primary.stopAtOnce();
    }
    // The old server's responses have all arrived.
    scheduler.pause(Duration.ofMillis(200));
    assertThat(done()).isGreaterThanOrEqualTo(before);
    int answered = done();
    standby.promote();
    Await.until("a client is granted a lock", () -> done() > answered);
    return Duration.ofNanos(time.nanos() - begun).toMillis();
  }

  private int done() {
    return clients.stream().mapToInt(FailoverClient::done).sum();
  }

  /** A lock that was taken from the first server is still kept alive by its owner. */
  private Lease beaten() {
    Lease lease = clients.getFirst().kept().values().stream().min((one, other) -> one.token().compareTo(other.token()))
        .orElseThrow();
    assertThat(beat(lease)).isInstanceOfSatisfying(RenewOutcome.Renewed.class,
        renewed -> assertThat(renewed.lease().lease().requestId()).isEqualTo(lease.requestId()));
    return lease;
  }

  /** A heartbeat that a connection of the old server or a busy machine cuts off is no loss; it is repeated. */
  private RenewOutcome beat(Lease lease) {
    List<RenewOutcome> outcomes = new ArrayList<>();
    Await.until("a heartbeat is answered", () -> {
      try {
        return outcomes.add(stores.getFirst().beat(lease));
      } catch (StorageException cutOff) {
        return false;
      }
    });
    return outcomes.getFirst();
  }

  private void end() {
    clients.forEach(FailoverClient::end);
    try {
      for (Thread thread : threads) {
        thread.join();
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private void judge(DedicatedServer primary, StringBuilder told) {
    Map<String, String> held = new HashMap<>();
    // A store without the impatient settings of the clients.
    for (LockView view : open(primary.url()).list()) {
      if (view.leaseState() instanceof LeaseState.Held(Lease lease, var _)) {
        held.put(view.name().value(), owner(lease));
      }
    }
    Map<String, String> acknowledged = new HashMap<>();
    clients.forEach(client -> client.kept().forEach((name, lease) -> acknowledged.put(name, owner(lease))));
    assertThat(acknowledged.entrySet().stream().filter(lock -> !lock.getValue().equals(held.get(lock.getKey()))))
        .isEmpty();
    assertThat(clients.stream().flatMap(client -> client.free().stream()).filter(held::containsKey)).isEmpty();
    List<Given> shared = clients.stream().flatMap(client -> client.given().stream()).toList();
    assertThat(shared.stream().map(Given::token).distinct()).hasSameSizeAs(shared);
    assertThat(outOfOrder(shared)).isEmpty();
    System.out.println(told + "; " + acknowledged.size() + " locks held, " + done() + " given, " + shared.size()
        + " of one name, " + clients.stream().mapToInt(FailoverClient::unknown).sum() + " times not known");
  }

  private static String owner(Lease lease) {
    return lease.requestId() + " " + lease.token();
  }

  /** Grants whose token is not greater than one granted before their request. */
  private static List<Given> outOfOrder(List<Given> all) {
    List<Given> byBeginning = all.stream().sorted(Comparator.comparingLong(Given::begunNanos)).toList();
    Deque<Given> byEnd = new ArrayDeque<>(all.stream().sorted(Comparator.comparingLong(Given::endedNanos)).toList());
    List<Given> wrong = new ArrayList<>();
    long greatest = 0;
    for (Given given : byBeginning) {
      while (byEnd.element().endedNanos() - given.begunNanos() < 0) {
        greatest = Math.max(greatest, byEnd.remove().token());
      }
      if (given.token() <= greatest) {
        wrong.add(given);
      }
    }
    return wrong;
  }
}
