package fleet.tower.service.mcp.subscription;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import fleet.tower.platform.StorageException;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.WakeUp;
import fleet.tower.service.mcp.wire.Exchange;

/**
 * The stream of one client. A virtual thread watches each subject and leaves a notification for the thread of the
 * request, which sends it. A subject that changes often is notified about at most ten times a second.
 */
final class Subscription {
  static final String ID = "io.modelcontextprotocol/subscriptionId";
  private static final Duration BETWEEN_NOTIFICATIONS = Duration.ofMillis(100);

  private final Exchange exchange;
  private final Scheduler scheduler;
  private final WakeUp wakeUp = new WakeUp();
  private final Map<String, Notification> pending = new LinkedHashMap<>();

  Subscription(Exchange exchange, Scheduler scheduler) {
    this.exchange = exchange;
    this.scheduler = scheduler;
  }

  /**
   * Acknowledges the subscription, and sends notifications until the client or the service ends it. Changes since the
   * call are not missed.
   *
   * @param acknowledgement the notifications that the client will get
   *
   * @param reported those whose present state is sent first
   */
  void run(JsonWriter acknowledgement, List<Watched> changes, List<Watched> reported) {
    Map<Watched, String> before = new LinkedHashMap<>();
    changes.forEach(watched -> before.put(watched, watched.state()));
    reported.forEach(watched -> before.put(watched, ""));
    send(new Notification("notifications/subscriptions/acknowledged", "",
        JsonWriter.line().put("notifications", acknowledgement)));
    try (var _ = exchange.cancellation().on(() -> end(before.keySet()))) {
      before.forEach((watched, state) -> Thread.ofVirtual().name("tower-subscription")
          .start(() -> watch(watched, state)));
      while (!isOver()) {
        wakeUp.await();
        taken().forEach(this::send);
      }
    }
  }

  private boolean isOver() {
    return exchange.cancellation().isCancelled();
  }

  private void end(Iterable<Watched> all) {
    all.forEach(Watched::wake);
    wakeUp.signal();
  }

  /** Storage that does not work now delays a notification. */
  private void watch(Watched watched, String first) {
    String last = first;
    boolean isLast = false;
    while (!isLast && !isOver()) {
      try {
        isLast = watched.isOver();
        String now = watched.state();
        if (!now.equals(last)) {
          offer(watched.notification());
          last = now;
        }
      } catch (StorageException notNow) {
        isLast = false;
      }
      if (!isLast) {
        watched.await();
        scheduler.pause(BETWEEN_NOTIFICATIONS);
      }
    }
  }

  private void offer(Notification notification) {
    synchronized (pending) {
      pending.put(notification.method() + " " + notification.subject(), notification);
    }
    wakeUp.signal();
  }

  private List<Notification> taken() {
    synchronized (pending) {
      List<Notification> taken = List.copyOf(pending.values());
      pending.clear();
      return taken;
    }
  }

  private void send(Notification notification) {
    exchange.send(notification.method(), meta().members(notification.params()));
  }

  /** The member that belongs to every message of the stream. */
  JsonWriter meta() {
    return JsonWriter.line().put("_meta", JsonWriter.line().raw(ID, exchange.request().id()));
  }
}
