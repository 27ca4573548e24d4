package fleet.tower.home.move;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.TestHome;
import fleet.tower.harness.TestHome.Outcome;
import fleet.tower.home.Home;
import fleet.tower.home.move.HomeMove.MoveOutcome;
import fleet.tower.lease.Actor;
import fleet.tower.lease.Door;
import fleet.tower.lease.LeaseName;
import fleet.tower.mailbox.MailboxCommand;
import fleet.tower.mailbox.MailboxName;
import fleet.tower.mailbox.Mailboxes;
import fleet.tower.mailbox.MessageBody;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.sql.DirectTables;
import fleet.tower.platform.sql.PostgresServer;

@DisplayName("What others do between the steps of `tower move`")
class HomeMoveStepsTest {
  private static final Actor ANN = new Actor("ann", Door.CLI);
  private static final MailboxName REVIEWS = new MailboxName("reviews");

  private final String url = PostgresServer.newDatabase();
  private final DirectTables tables = new DirectTables(url);
  private final TestHome home;

  HomeMoveStepsTest(@TempDir Path directory) {
    home = new TestHome(directory.resolve("home"));
  }

  private void ok(String line) {
    Outcome outcome = home.tower(line);
    assertThat(outcome.exit()).as(line + ": " + outcome).isZero();
  }

  private Outcome move() {
    return home.run("move", "--to", url, "--json");
  }

  private interface Event {
    void happen() throws IOException;
  }

  private Home open() {
    return new Home(home.root(), Map.of("TOWER_LOCK_INSECURE_DIRECTORY", "true"), _ -> {}, Home.Listener.NONE);
  }

  private MoveOutcome moveWith(MoveStep when, Event event) {
    try (Home moving = open(); HomeMove move = moving.upkeep().move(step -> {
      if (step == when) {
        try {
          event.happen();
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
    })) {
      return move.move(new HomeMove.Request(url, () -> moving.newRequestId().value(), Duration.ZERO, _ -> {}));
    }
  }

  @Test
  @DisplayName("Work that starts before the barriers are in place is found under them, and the home is as before")
  void startedAtLast() {
    MoveOutcome outcome = moveWith(MoveStep.MARKED, () -> home.foreignLock("prod", TestHome.now(), 900));

    assertThat(outcome).isInstanceOfSatisfying(MoveOutcome.Busy.class,
        busy -> assertThat(busy.reasons()).singleElement().asString().contains("lock prod, held by"));
    assertThat(tables.look("SELECT state FROM moved_homes")).isEmpty();
    ok("lock other --request-id r1");
    ok("force-release prod --reason gone");
    assertThat(move().exit()).isZero();
  }

  @Test
  @DisplayName("During the copy a process that has the stores open changes neither the database nor the locks")
  void frozen() {
    ok("lock held --request-id r1");
    List<Throwable> refusals = new ArrayList<>();
    try (Home open = open(); Mailboxes mailboxes = open.mailboxes()) {
      mailboxes.send(message("before"));
      moveWith(MoveStep.COPYING, () -> {
        refusals.add(refusal(() -> mailboxes.send(message("after"))));
        refusals.add(refusal(() -> mailboxes.purge(REVIEWS, ANN)));
        refusals.add(refusal(() -> open.locks().view(new LeaseName("held"))));
      });
    }

    assertThat(refusals).hasSize(3).allSatisfy(it -> assertThat(it).isInstanceOf(StorageException.class)
        .hasMessageContaining("this home is being moved to postgresql://"));
    assertThat(tables.look("SELECT body FROM mailbox_messages")).containsExactly("\"before\"");
  }

  private static MailboxCommand.Send message(String text) {
    return new MailboxCommand.Send(REVIEWS, null, MessageBody.text(text), null, OptionalInt.empty(), null);
  }

  private static Throwable refusal(ThrowingCallable call) {
    try {
      call.call();
      return new AssertionError("not refused");
    } catch (Throwable refused) {
      return refused;
    }
  }

  @Test
  @DisplayName("Another process cannot move the home at the same time")
  void another() {
    List<Integer> exits = new ArrayList<>();

    MoveOutcome outcome = moveWith(MoveStep.COPYING,
        () -> exits.add(MoveMain.run(home.root(), url, MoveStep.COPYING.name(), "move")));

    assertThat(outcome).isInstanceOf(MoveOutcome.Moved.class);
    assertThat(exits).as("it reached no step").containsExactly(0);
  }

  @Test
  @DisplayName("A halt that cannot be read, or whose name the fleet has, prevents the move")
  void halts() throws IOException {
    TestHome other = new TestHome(home.root().resolveSibling("other")).with("TOWER_DATABASE_URL", url);
    for (TestHome it : List.of(home, other)) {
      assertThat(it.tower("halt night --lock db --reason upgrade").exit()).isZero();
    }
    assertThat(move().out()).contains("halt night: the fleet has one of this name");
    assertThat(other.tower("unhalt night").exit()).isZero();
    Path halt = home.root().resolve("state/halts/night.json");
    String document = Files.readString(halt);
    Files.writeString(halt, "{");
    assertThat(move().out()).contains("halt night: " + halt + " cannot be read", "`tower unhalt night`");
    Files.writeString(halt, document);
    assertThat(move().exit()).isZero();
    assertThat(other.tower("lock db --json").errorCode()).isEqualTo("halted");
  }

  @Test
  @DisplayName("A free lock keeps the greater token of both sides; a held one must have a greater one than the fleet")
  void tokens() {
    TestHome other = new TestHome(home.root().resolveSibling("other")).with("TOWER_DATABASE_URL", url);
    for (TestHome it : List.of(home, other)) {
      assertThat(it.tower("lock prod --request-id r1").exit()).isZero();
      assertThat(it.tower("unlock prod --request-id r1").exit()).isZero();
    }
    List<String> issued = tables.look("SELECT token FROM locks WHERE name = 'prod'");
    tables.change("INSERT INTO locks (name, token, lock_version) VALUES ('equal', 1, 'v1')");
    ok("lock equal --request-id r1");

    assertThat(move().out()).contains("lock equal: held here with token 1, but the fleet has issued 1");
    ok("unlock equal --request-id r1");
    assertThat(move().exit()).isZero();
    assertThat(tables.look("SELECT token FROM locks WHERE name = 'prod'")).isEqualTo(issued);
  }
}
