package fleet.tower.home.move;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.lease.Age;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.Holder;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseState;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.lock.FreezeState;
import fleet.tower.lock.MovingLocks.MovingLock;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.sql.DirectTables;
import fleet.tower.platform.sql.PostgresServer;
import fleet.tower.platform.time.BootStamp;

@DisplayName("The end of a claim or a lease by the clock of the fleet's server")
class MovedLeasesTest {
  /** The home's wall clock is at 10 s, its boot clock at 500 s, the server's clock at 70 s. */
  private static final Clocks CLOCKS = new Clocks(10_000, new BootStamp("boot-1", 500_000), 70_000);

  private static Map<String, @Nullable Object> claim(@Nullable String bootId) {
    Map<String, @Nullable Object> row = new HashMap<>(Map.of("claimed_by", "bob", "claim_expires_at", 40_000L));
    row.put("boot_id", bootId);
    row.put("boot_until", 520_000L);
    MovingTable.TASKS.convert(row, CLOCKS);
    return row;
  }

  @Test
  @DisplayName("A claim keeps the time that it has left, by the boot clock of this boot, or else by the wall clock")
  void claims() {
    assertThat(claim(null)).containsEntry("claim_expires_at", 100_000L);
    assertThat(claim("boot-1")).containsEntry("claim_expires_at", 90_000L).containsEntry("boot_id", null);
    assertThat(claim("boot-0")).containsEntry("claim_expires_at", 100_000L);
  }

  private static Map<String, @Nullable Object> message(String state, String clock) {
    Map<String, @Nullable Object> row = new HashMap<>(Map.of("state", state, "clock", clock, "due", 530_000L,
        "due_at_most", 560_000L, "visible_at", 12_000L, "leased_at", 9_000L));
    MovingTable.MAILBOX_MESSAGES.convert(row, CLOCKS);
    return row;
  }

  @Test
  @DisplayName("So does a delivery, also up to its maximum; a message without one is not changed")
  void deliveries() {
    assertThat(message("leased", "boot-1")).containsEntry("visible_at", 100_000L).containsEntry("due", 100_000L)
        .containsEntry("due_at_most", 130_000L).containsEntry("clock", "");
    assertThat(message("leased", "boot-0")).containsEntry("visible_at", 72_000L).containsEntry("due", 72_000L)
        .containsEntry("due_at_most", 69_000L + 43_200_000);
    assertThat(message("ready", "boot-1")).containsEntry("visible_at", 12_000L).containsEntry("due", 0L)
        .containsEntry("due_at_most", 0L);
  }

  /** The seconds since the heartbeat of a lock with a ttl of a minute, by the clock of the server. */
  private static long moved(long ageSeconds, OptionalLong bootMillis) {
    String url = PostgresServer.newMigratedDatabase();
    Instant then = Instant.ofEpochSecond(10 - ageSeconds);
    Lease lease = new Lease(new LeaseName("prod"), new RequestId("r1"), new FencingToken(7),
        new Holder("ann", "manual", "none", "host", 1, false), then, then, new Ttl(60), "{}");
    MovingLock lock = new MovingLock(lease.name(), lease.token(), new LeaseState.Held(lease,
        new Age(Duration.ofSeconds(ageSeconds), bootMillis)), new FreezeState.None());
    try (Database database = Database.at(url)) {
      database.writeDurably(session -> {
        new LockCopy(session, CLOCKS).copy(lock);
        return true;
      });
    }
    return 70 - Long.parseLong(new DirectTables(url).look("SELECT last_heartbeat_at FROM locks").getFirst());
  }

  @Test
  @DisplayName("An active lock is never older than at home: its age is rounded down, less a second; a stale one stays "
      + "stale")
  void locks() {
    assertThat(moved(30, OptionalLong.empty())).isEqualTo(29);
    assertThat(moved(30, OptionalLong.of(12_900))).as("after a step of the wall clock").isEqualTo(11);
    assertThat(moved(70, OptionalLong.of(12_900))).isEqualTo(11);
    assertThat(moved(0, OptionalLong.empty())).isZero();
    assertThat(moved(61, OptionalLong.of(61_000))).isEqualTo(61);
  }
}
