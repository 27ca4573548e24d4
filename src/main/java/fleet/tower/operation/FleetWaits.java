package fleet.tower.operation;

import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.random.RandomGenerator;

import fleet.tower.access.Caller;
import fleet.tower.access.Role;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.sql.Notifications;
import fleet.tower.platform.time.Notices;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.WakeUp;

/**
 * The waiting calls of all services of a fleet. A withdrawal that this service cannot make is announced to the others,
 * and the one where the request waits confirms it. A confirmation that does not arrive within a second counts as none.
 */
public final class FleetWaits {
  private static final String WITHDRAWALS = "withdrawals";
  private static final String CONFIRMATIONS = "withdrawn";
  private static final Duration LIMIT = Duration.ofSeconds(1);

  private final WaitingCalls own;
  private final Notifications notifications;
  private final RandomGenerator random;
  private final Scheduler scheduler;
  private final Map<String, Pending> pending = new ConcurrentHashMap<>();

  /** @param random generates the numbers of withdrawals, which must be unique in the fleet */
  public FleetWaits(WaitingCalls own, Notifications notifications, RandomGenerator random, Scheduler scheduler) {
    this.own = own;
    this.notifications = notifications;
    this.random = random;
    this.scheduler = scheduler;
    notifications.subscribe(WITHDRAWALS, (Received) this::requested);
    notifications.subscribe(CONFIRMATIONS, (Received) this::confirmed);
  }

  /** A listener that ignores lost notifications: their withdrawals are not confirmed. */
  private interface Received extends Notices.Listener {
    @Override
    default void missed() {}
  }

  /** A withdrawal that no service has confirmed yet. */
  private static final class Pending {
    private final WakeUp wakeUp = new WakeUp();
    private volatile boolean isConfirmed;
  }

  /** Ends a wait at another service; false if none confirms that it did. */
  boolean withdraw(String place, RequestId by, Caller caller) {
    String number = HexFormat.of().toHexDigits(random.nextLong());
    Pending withdrawal = new Pending();
    pending.put(number, withdrawal);
    Scheduler.Pending end = scheduler.after(LIMIT, withdrawal.wakeUp::signal);
    try {
      notifications.announce(WITHDRAWALS, JsonWriter.line().put("number", number).put("place", place)
          .put("request_id", by.value()).put("caller", caller.name()).put("role", caller.role().toString()).end());
      withdrawal.wakeUp.await();
      return withdrawal.isConfirmed;
    } finally {
      end.cancel();
      pending.remove(number);
    }
  }

  /** Not on the thread of the notifications, which must not wait for the database. */
  private void requested(String text) {
    Thread.startVirtualThread(() -> {
      try {
        JsonObject json = JsonReader.readObject(text);
        if (own.withdrawHere(json.text("place").orElseThrow(), new RequestId(json.text("request_id").orElseThrow()),
            json.text("caller").orElseThrow(), json.text("role").orElseThrow().equals(Role.OPERATOR.toString()))) {
          notifications.announce(CONFIRMATIONS, json.text("number").orElseThrow());
        }
      } catch (JsonException | InvalidValue | NoSuchElementException | StorageException notConfirmed) {
        // The service that announced it answers that the request does not wait.
      }
    });
  }

  private void confirmed(String number) {
    Pending withdrawal = pending.get(number);
    if (withdrawal != null) {
      withdrawal.isConfirmed = true;
      withdrawal.wakeUp.signal();
    }
  }
}
