package fleet.tower.platform.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.harness.Await;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.time.SystemTime;

@DisplayName("Whether a database can be reached, with a real server")
class ReachabilityTest {
  private final StallingProxy wire = new StallingProxy(PostgresServer.newDatabase());
  private final List<String> reported = new CopyOnWriteArrayList<>();
  private final DatabaseLocation location = observed(wire.url());
  private final Database one = location.open();
  private final Database two = location.open();

  private DatabaseLocation observed(String url) {
    return DatabaseLocation.of(url).observed(SystemTime.scheduler(), SystemTime.source(), new Reachability.Listener() {
      @Override
      public void gone(String problem) {
        reported.add("gone: " + problem);
      }

      @Override
      public void back(String database, Duration after) {
        reported.add("back: " + database);
      }
    });
  }

  private Reachability reachability() {
    return Objects.requireNonNull(location.reachability());
  }

  @AfterEach
  void close() {
    wire.close();
    reachability().close();
  }

  private static List<Integer> ask(Database database) {
    return database.read(session -> session.query("SELECT 1", row -> row.getInt(1))).orElseThrow();
  }

  @Test
  @DisplayName("A server that stops answering is one outage of all databases at that address; meanwhile calls fail at "
      + "once")
  void stalls() {
    ask(one);
    ask(two);
    wire.stall();
    assertThatThrownBy(() -> one.changeWithin(Duration.ofMillis(200), session -> session.query("SELECT 1", _ -> 1)))
        .isInstanceOfSatisfying(StorageException.class, e -> {
          assertThat(e.isOutage()).isTrue();
          assertThat(e.isReported()).isTrue();
          assertThat(e.publicMessage()).isEqualTo("the database cannot be reached; try again when it is back");
        });
    assertThat(reachability().isDoubtful()).isTrue();
    Await.until("it is an outage", () -> !reachability().isUp());
    for (int i = 0; i < 100; i++) {
      assertThatThrownBy(() -> ask(two)).hasMessageContaining("cannot be reached")
          .hasMessageContaining("no answer for");
    }
    assertThatThrownBy(() -> two.writeDurably(session -> 1)).hasMessageContaining("no answer for");

    wire.goOn();
    Await.until("it is back", reachability()::isUp);
    assertThat(ask(one)).containsExactly(1);
    assertThat(reported).satisfiesExactly(
        gone -> assertThat(gone).startsWith("gone: the database postgresql://127.0.0.1:").contains("cannot be reached"),
        back -> assertThat(back).isEqualTo("back: " + location));
  }

  @Test
  @DisplayName("Connections that the server ends, and then opens again, are not an outage")
  void cut() {
    ask(one);
    assertThatThrownBy(() -> one.writeDurably(session -> session.query("SELECT pg_terminate_backend(pg_backend_pid())",
        row -> true))).isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.isReported()).isTrue());
    Await.until("the probe has ended", () -> !reachability().isDoubtful());
    assertThat(ask(one)).containsExactly(1);
    assertThat(reported).isEmpty();
  }

  @Test
  @DisplayName("A server that has never answered is an error for its caller, and is not reported in addition")
  void never() {
    wire.close();
    assertThatThrownBy(() -> ask(one)).isInstanceOfSatisfying(StorageException.class, e -> {
      assertThat(e.isOutage()).isTrue();
      assertThat(e.isReported()).isFalse();
    });
    assertThat(reachability().isUp()).isTrue();
    assertThat(reported).isEmpty();
  }
}
