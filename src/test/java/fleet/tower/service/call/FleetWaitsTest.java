package fleet.tower.service.call;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.access.Caller;
import fleet.tower.access.Places;
import fleet.tower.access.Role;
import fleet.tower.harness.Await;
import fleet.tower.lease.RequestId;
import fleet.tower.operation.FleetWaits;
import fleet.tower.operation.WaitingCalls;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.sql.Notifications;
import fleet.tower.platform.sql.PostgresServer;
import fleet.tower.platform.time.Cancellation;
import fleet.tower.platform.time.SystemTime;

@DisplayName("A waiting request is withdrawn at any service of a fleet")
class FleetWaitsTest {
  private static final RequestId R1 = new RequestId("r1");
  private final Database database = Database.at(PostgresServer.newDatabase());
  private final Notifications notifications = new Notifications(database, SystemTime.scheduler());
  private final WaitingCalls here = service(1);
  private final WaitingCalls there = service(2);

  private WaitingCalls service(long seed) {
    WaitingCalls calls = new WaitingCalls(Places.ofOneCaller(10));
    calls.join(new FleetWaits(calls, notifications, new Random(seed), SystemTime.scheduler()));
    return calls;
  }

  @AfterEach
  void close() {
    notifications.close();
    database.close();
  }

  private CompletableFuture<Boolean> waiting(WaitingCalls service, Caller caller) {
    return CompletableFuture.supplyAsync(
        () -> service.during("/locks/a", R1, caller, new Cancellation(), FleetWaitsTest::awaitWithdrawal,
            UnaryOperator.identity()));
  }

  private static boolean awaitWithdrawal(Cancellation cancellation) {
    Await.until("the withdrawal", cancellation::isCancelled);
    return true;
  }

  @Test
  @DisplayName("By its caller or an operator, and by no one else; a request that does not wait is not confirmed")
  void anywhere() {
    Caller ann = Caller.of("ann", Role.AGENT, List.of());
    for (Caller by : new Caller[]{ann, Caller.of("olga", Role.OPERATOR, List.of())}) {
      CompletableFuture<Boolean> wait = waiting(there, ann);
      assertThat(here.withdraw("/locks/a", R1, Caller.of("bob", Role.AGENT, List.of()))).isFalse();
      assertThat(here.withdraw("/locks/b", R1, by)).isFalse();

      Await.until("it waits and is withdrawn", () -> here.withdraw("/locks/a", R1, by));

      assertThat(wait).succeedsWithin(Await.LIMIT).isEqualTo(true);
      assertThat(here.withdraw("/locks/a", R1, by)).isFalse();
    }
  }
}
