package fleet.tower.run.members;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Await;
import fleet.tower.platform.Presence;
import fleet.tower.platform.disk.ProcessFiles;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.sql.DirectTables;
import fleet.tower.platform.sql.Notifications;
import fleet.tower.platform.sql.PostgresServer;
import fleet.tower.platform.time.ManualTime;
import fleet.tower.platform.time.Notices;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.run.members.Membership.NameTakenException;
import fleet.tower.run.sql.SqlRuns;

/** The server's clock is moved by changing the times that it has written. */
class MembershipTest {
  private final PostgresServer.TwoUsers users = PostgresServer.newMigratedDatabaseOfTwoUsers();
  private final String url = users.app();
  private final ManualTime time = new ManualTime();
  private final Presence presence;
  private final List<Membership> open = new ArrayList<>();
  private final List<String> warnings = new ArrayList<>();

  MembershipTest(@TempDir Path directory) {
    presence = new ProcessFiles(directory).open();
  }

  @AfterEach
  void close() {
    open.forEach(Membership::close);
    presence.close();
  }

  private static Member member(String id, String host, String machine, Member.Kind kind) {
    return new Member(id, host, machine, "/home/" + machine, 42, kind, "0.1.0");
  }

  private Membership membership(Member self) {
    Membership made = new Membership(self, new SqlRuns(url).members(), presence, time, warnings::add, Optional::empty);
    open.add(made);
    return made;
  }

  private Membership begun(String id, String host, String machine) {
    Membership made = membership(member(id, host, machine, Member.Kind.SERVICE));
    made.begin();
    return made;
  }

  private void pass(Duration duration) throws Exception {
    try (var connection = DriverManager.getConnection(url); var statement = connection.createStatement()) {
      statement.execute("UPDATE executors SET seen_at = seen_at - " + duration.toMillis()
          + ", alive_until = alive_until - " + duration.toMillis());
    }
  }

  @Test
  @DisplayName("A process of another host counts as alive for a minute after its last renewal, and renews every 15 s")
  void alive() throws Exception {
    Membership one = begun("one", "tower-01", "m1");
    begun("two", "tower-02", "m2");
    assertThat(one.isAlive("one")).isTrue();
    assertThat(one.isAlive("two")).isTrue();
    assertThat(one.isAlive("three")).as("it has neither an entry nor a file").isFalse();

    // Exactly a minute; the server's clock goes on meanwhile.
    assertThat(new DirectTables(url).look("SELECT alive_until - seen_at FROM executors")).containsExactly("60000",
        "60000");
    pass(Duration.ofSeconds(40));
    assertThat(one.isAlive("two")).isTrue();
    time.advance(Duration.ofSeconds(15));
    pass(Duration.ofSeconds(40));
    assertThat(one.isAlive("two")).isTrue();
    pass(Duration.ofSeconds(21));
    assertThat(one.isAlive("two")).isFalse();
    assertThat(one.isAlive("one")).as("this process itself").isTrue();
    assertThat(one.members().list()).extracting(MemberStore.Entry::isAlive).containsExactly(false, false);
  }

  @Test
  @DisplayName("For processes that share files, the files decide at once: a dead one is dead before its minute has "
      + "passed")
  void neighbours() {
    Membership service = membership(member(presence.id(), "tower-01", "m1", Member.Kind.SERVICE));
    service.begin();
    Membership command = membership(member("0123456789abcdef01234567", "tower-01", "m1", Member.Kind.COMMAND));
    command.begin();

    assertThat(service.isAlive("0123456789abcdef01234567")).isFalse();
    assertThat(command.isAlive(presence.id())).isTrue();
  }

  @Test
  @DisplayName("A service is refused if a live service on another machine uses its host name; on the same machine, or later, it is not")
  void nameTaken() throws Exception {
    begun("one", "tower-01", "m1");

    assertThatThrownBy(() -> begun("two", "tower-01", "m2")).isInstanceOf(NameTakenException.class)
        .hasMessageContainingAll("host id 'tower-01'", "process 42 on /home/m1", "tower.host-id");
    assertThat(membership(member("x", "tower-01", "m2", Member.Kind.COMMAND)).members().list()).hasSize(1);
    begun("three", "tower-01", "m1");
    pass(Duration.ofSeconds(61));
    begun("four", "tower-01", "m2");
  }

  private static MemberProfile profile(String digest) {
    return new MemberProfile(List.of("gpu"), new TreeMap<>(Map.of("deploy",
        new MemberProfile.Published(digest, List.of()), "train",
        new MemberProfile.Published("d9", List.of("gpu", "tower-01")))), "p" + digest);
  }

  @Test
  @DisplayName("A service publishes its labels and intents when it enters, two seconds after a change, and again with each renewal")
  void published() throws Exception {
    AtomicReference<MemberProfile> present = new AtomicReference<>(profile("d1"));
    List<String> announced = new CopyOnWriteArrayList<>();
    try (Database database = Database.at(url);
        Notifications notifications = new Notifications(database,
            SystemTime.scheduler())) {
      CountDownLatch listening = new CountDownLatch(1);
      notifications.subscribe("intents", new Notices.Listener() {
        @Override
        public void changed(String subject) {
          announced.add(subject);
        }

        @Override
        public void missed() {
          listening.countDown();
        }
      });
      listening.await();
      Membership service = new Membership(member("one", "tower-01", "m1", Member.Kind.SERVICE),
          new SqlRuns(url).members(), presence, time, warnings::add, () -> Optional.of(present.get()));
      open.add(service);
      service.begin();
      assertThat(service.members().list()).extracting(MemberStore.Entry::profile).containsExactly(profile("d1"));

      present.set(profile("d2"));
      time.advance(Membership.BETWEEN_LOOKS);
      assertThat(service.members().list()).extracting(MemberStore.Entry::profile).containsExactly(profile("d2"));
      time.advance(Membership.BETWEEN_ENTRIES);
      Await.until("both versions are announced", () -> announced.size() >= 2);
      assertThat(announced).as("a renewal without a change is not announced").containsExactly("tower-01", "tower-01");

      // Another process may have removed the entry of a service that was silent for an hour.
      new DirectTables(url).change("DELETE FROM executors");
      time.advance(Membership.BETWEEN_ENTRIES);
      assertThat(service.members().list()).extracting(MemberStore.Entry::profile).containsExactly(profile("d2"));
      assertThat(begun("two", "tower-02", "m2").members().find("two").orElseThrow().profile()).isNull();
    }
  }

  @Test
  @DisplayName("A process that ends is removed at once; one that died an hour ago is removed by the next to enter")
  void leaving() throws Exception {
    begun("one", "tower-01", "m1").close();
    Membership two = begun("two", "tower-02", "m2");
    assertThat(two.members().list()).extracting(entry -> entry.member().id()).containsExactly("two");

    pass(Duration.ofMinutes(62));
    Membership three = begun("three", "tower-03", "m3");
    assertThat(three.members().list()).extracting(entry -> entry.member()).containsExactly(
        member("three", "tower-03", "m3", Member.Kind.SERVICE));
  }

  @Test
  @DisplayName("A database that does not answer is reported once, and every process counts as alive until it answers")
  void unreachable() throws Exception {
    Membership one = begun("one", "tower-01", "m1");
    try (var connection = DriverManager.getConnection(users.owner()); var statement = connection.createStatement()) {
      statement.execute("ALTER TABLE executors RENAME TO hidden");
    }

    time.advance(Duration.ofSeconds(45));

    assertThat(warnings).singleElement().asString()
        .startsWith("this process cannot be shown as alive to other hosts: ");
    assertThat(one.isAlive("two")).isTrue();
  }
}
