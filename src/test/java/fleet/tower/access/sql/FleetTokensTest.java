package fleet.tower.access.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.access.Access;
import fleet.tower.access.Access.RecognitionOutcome;
import fleet.tower.access.Access.RecognitionOutcome.Known;
import fleet.tower.access.Role;
import fleet.tower.access.Scope;
import fleet.tower.access.Tokens;
import fleet.tower.harness.Await;
import fleet.tower.platform.Finding;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.sql.DirectTables;
import fleet.tower.platform.sql.PostgresServer;
import fleet.tower.platform.sql.StallingProxy;
import fleet.tower.platform.time.ManualTime;
import fleet.tower.platform.time.SystemTime;

@DisplayName("The tokens of a fleet on several hosts")
class FleetTokensTest {
  private static final String SECRET = "the-operator-of-a-secret-0123456789";
  private final String url = PostgresServer.newDatabase();
  private final List<FleetHost> hosts = new ArrayList<>();
  private final Path directory;

  FleetTokensTest(@TempDir Path directory) {
    this.directory = directory;
  }

  @AfterEach
  void close() {
    hosts.forEach(FleetHost::close);
  }

  private FleetHost host(String name) {
    return host(name, url);
  }

  private FleetHost host(String name, String through) {
    FleetHost host = new FleetHost(directory, name, through, SystemTime.source());
    hosts.add(host);
    return host;
  }

  private static boolean knows(Access access, String token) {
    return access.recognise(token) instanceof Known;
  }

  private static Tokens.Issued create(FleetHost host, String name) {
    return host.tokens().issue(new Tokens.TokenRequest(name, null, Role.AGENT, Scope.ALL, null));
  }

  @Test
  @DisplayName("When several hosts start at once, exactly one creates the operator's token, and all accept it")
  void atOnce() throws Exception {
    List<FleetHost> all = List.of(host("a"), host("b"), host("c"), host("d"));
    List<Access> opened = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Callable<Access>> starts = all.stream().<Callable<Access>>map(host -> host::open).toList();
      for (Future<Access> start : threads.invokeAll(starts)) {
        opened.add(start.get());
      }
    }
    List<FleetHost> owners = all.stream().filter(host -> !host.operator().isEmpty()).toList();
    assertThat(owners).singleElement().satisfies(owner -> {
      assertThat(owner.news()).containsExactly("wrote the operator's token to " + owner.tokenFile());
      assertThat(opened).allSatisfy(access -> assertThat(knows(access, owner.operator())).isTrue());
      assertThat(all).filteredOn(host -> !host.equals(owner)).allSatisfy(host -> assertThat(host.news()).singleElement()
          .asString().matches("the operator's token of this fleet is on host "
              + owner.tokenFile().getName(owner.tokenFile().getNameCount() - 3)
              + ", created at \\S+Z; use that one, or create"
              + " a new one with `tower token rotate operator` on any host"));
    });
    assertThat(all).allSatisfy(host -> assertThat(host.warnings()).isEmpty());
    assertThat(new DirectTables(url).look("SELECT digest FROM tokens")).hasSize(1);
  }

  @Test
  @DisplayName("A host that joins with a token registers it if the fleet has none, and is warned if the fleet has "
      + "another")
  void joining() {
    FleetHost first = host("a");
    String own = first.haveOperator(SECRET);
    Access access = first.open();
    assertThat(first.news())
        .containsExactly("the operator's token in " + first.tokenFile() + " is now that of the fleet");
    assertThat(knows(access, own)).isTrue();

    FleetHost second = host("b");
    String others = second.haveOperator("another-operator-0123456789-0123456789");
    Access joined = second.open();
    assertThat(knows(joined, own)).isTrue();
    assertThat(knows(joined, others)).isFalse();
    assertThat(second.operator()).isEqualTo(others);
    assertThat(second.news()).isEmpty();
    assertThat(second.warnings()).singleElement().asString().matches("the operator's token in \\Q" + second.tokenFile()
        + "\\E is not accepted: that of this fleet is on host a, created at \\S+Z; use that one, or run `tower token"
        + " rotate operator` here for a new one, or with --adopt to accept this one");
    assertThat(second.findings()).filteredOn(it -> it.check().equals("fleet operator")).singleElement()
        .satisfies(it -> assertThat(it.severity()).isEqualTo(Finding.Severity.WARN));

    FleetHost third = host("c");
    third.haveOperator(SECRET);
    third.open();
    assertThat(third.news()).isEmpty();
    assertThat(third.warnings()).isEmpty();
    assertThat(third.findings()).contains(Finding.ok("fleet operator", "on this host"));
  }

  @Test
  @DisplayName("A rotation of the operator on one host ends the token everywhere; another file can be adopted instead")
  void rotation() {
    FleetHost first = host("a");
    FleetHost second = host("b");
    List<Access> both = List.of(first.open(), second.open());
    String old = first.operator();

    second.tokens().rotateOperator(Duration.ZERO);
    assertThat(both).allSatisfy(access -> {
      assertThat(knows(access, second.operator())).isTrue();
      assertThat(knows(access, old)).isFalse();
    });
    assertThat(first.operator()).isEqualTo(old);
    assertThat(first.findings()).first().satisfies(it -> assertThat(it.message()).startsWith("the operator's token in "
        + first.tokenFile() + " is not accepted: that of this fleet is on host b, created at "));
    assertThat(second.findings()).first().isEqualTo(Finding.ok("fleet operator", "on this host"));

    assertThat(first.tokens().adoptOperator(Duration.ofHours(1))).isPresent();
    assertThat(first.tokens().adoptOperator(Duration.ofHours(1))).isEmpty();
    assertThat(both).allSatisfy(access -> {
      assertThat(knows(access, old)).isTrue();
      assertThat(knows(access, second.operator())).isTrue();
    });
    assertThat(second.findings()).first().satisfies(it -> assertThat(it.message())
        .startsWith("the token in " + second.tokenFile() + " was replaced on host a and ends at "));
    second.tokens().adoptOperator(Duration.ZERO);
    assertThat(second.tokens().operator().orElseThrow().hostId()).isEqualTo("b");
    Await.until("the first is refused", () -> both.stream().noneMatch(access -> knows(access, old)));
  }

  @Test
  @DisplayName("Concurrent changes on several hosts lose no token, and of several tokens with the same name only one "
      + "is created")
  void concurrentChanges() throws Exception {
    List<FleetHost> all = List.of(host("a"), host("b"), host("c"));
    all.getFirst().open();
    List<Callable<String>> changes = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      FleetHost host = all.get(i % all.size());
      String name = "t" + i;
      changes.add(() -> create(host, name).token());
      changes.add(() -> create(host, "same").token());
    }
    List<String> created = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Future<String> change : threads.invokeAll(changes)) {
        if (change.state() == Future.State.SUCCESS) {
          created.add(change.resultNow());
        }
      }
    }
    assertThat(created).hasSize(13);
    Access later = host("d").open();
    assertThat(created).allSatisfy(token -> assertThat(knows(later, token)).isTrue());
  }

  @Test
  @DisplayName("Changes are announced: an idle host ends a revoked token without polling for it")
  void announced() {
    FleetHost first = host("a");
    FleetHost second = host("b");
    first.open();
    Access access = second.open();
    String token = create(first, "ci").token();
    Await.until("it is known without a look", () -> access.recogniseHere(token) instanceof Known);
    first.tokens().revoke("ci");
    Await.until("it is refused", () -> !(access.recogniseHere(token) instanceof Known));
  }

  @Test
  @DisplayName("Unknown tokens cause a limited number of queries a second; the poll every second finds what they miss")
  void garbage() {
    ManualTime time = new ManualTime();
    FleetHost host = host("a");
    host.open();
    Access deaf = host.openDeaf(time);
    String early = create(host, "early").token();
    assertThat(knows(deaf, early)).isTrue();
    for (int i = 1; i < FleetTokenSource.MOST_LOOKS; i++) {
      assertThat(deaf.recognise("garbage-" + i)).isEqualTo(RecognitionOutcome.unknown());
    }
    String late = create(host, "late").token();
    assertThat(knows(deaf, late)).isFalse();
    deaf.refresh();
    assertThat(knows(deaf, late)).isFalse();

    time.advance(Duration.ofMillis(950));
    deaf.refresh();
    Await.until("the poll has found it", () -> knows(deaf, late));
    String next = create(host, "next").token();
    assertThat(knows(deaf, next)).isFalse();
    time.advance(Duration.ofMillis(50));
    assertThat(knows(deaf, next)).isTrue();
  }

  @Test
  @DisplayName("Without the database, known tokens apply, unknown ones are refused at once, expired ones end, and a "
      + "revocation arrives when it is back")
  void away() {
    ManualTime time = new ManualTime(SystemTime.source().now().toString());
    FleetHost near = host("near");
    near.open();
    String known = create(near, "known").token();
    String ending = near.tokens().issue(new Tokens.TokenRequest("ending", null, Role.AGENT, Scope.ALL,
        time.now().plusSeconds(3600))).token();
    try (StallingProxy wire = new StallingProxy(url);
        FleetHost far = new FleetHost(directory, "far", wire.url(), time)) {
      Access access = far.openDeaf(time, SystemTime.scheduler());
      wire.stall();
      assertThat(access.recognise("unknown")).isEqualTo(RecognitionOutcome.unknown());
      near.tokens().revoke("known");
      String fresh = create(near, "fresh").token();
      time.advance(Duration.ofHours(1));
      access.refresh();
      assertThat(knows(access, known)).isTrue();
      assertThat(access.recognise(ending)).isInstanceOfSatisfying(RecognitionOutcome.Refused.class,
          it -> assertThat(it.reason()).isEqualTo(RecognitionOutcome.Reason.EXPIRED_TOKEN));
      assertThat(access.recognise(fresh)).isEqualTo(RecognitionOutcome.unknown());

      wire.goOn();
      Await.until("the revocation has arrived", () -> {
        time.advance(Duration.ofSeconds(1));
        access.refresh();
        return !knows(access, known);
      });
      assertThat(knows(access, fresh)).isTrue();
    }
  }

  @Test
  @DisplayName("Rows that this version does not understand grant nothing, are reported, and are not overwritten")
  void otherVersions() {
    FleetHost host = host("a");
    Access access = host.open();
    List<String> tokens = new ArrayList<>();
    for (String name : List.of("role", "intents", "unknown-limit", "locks", "mailboxes", "tasks", "approve", "owner",
        "previous", "good")) {
      tokens.add(create(host, name).token());
    }
    DirectTables tables = new DirectTables(url);
    tables.change("UPDATE tokens SET role = 'auditor' WHERE name = 'role'");
    tables.change("UPDATE tokens SET intents = '{}' WHERE name = 'intents'");
    tables.change("UPDATE tokens SET intents = '[{\"name\":\"*\",\"params\":{},\"hours\":\"9-17\"}]'"
        + " WHERE name = 'unknown-limit'");
    for (String column : List.of("locks", "mailboxes", "tasks", "approve")) {
      tables.change("UPDATE tokens SET " + column + " = '[1]' WHERE name = '" + column + "'");
    }
    tables.change("UPDATE tokens SET owner = '' WHERE name = 'owner'");
    tables.change("UPDATE tokens SET place = 1 WHERE name = 'previous'");
    tables.change("UPDATE token_changes SET version = version + 1");

    String good = tokens.removeLast();
    access.recognise("a look");
    assertThat(tokens).allSatisfy(token -> assertThat(access.recognise(token)).isEqualTo(RecognitionOutcome.unknown()));
    assertThat(knows(access, good)).isTrue();
    assertThat(knows(access, host.operator())).isTrue();
    assertThat(host.warnings()).hasSize(9).allSatisfy(
        it -> assertThat(it).contains("in the database was not written by this version and is not accepted"));
    assertThat(host.findings()).filteredOn(it -> it.severity() == Finding.Severity.WARN).hasSize(9);
    assertThatThrownBy(() -> create(host, "role")).isInstanceOf(StorageException.class);
    assertThatThrownBy(() -> host.tokens().revoke("locks")).isInstanceOf(StorageException.class);
    assertThat(tables.look("SELECT role FROM tokens WHERE name = 'role'")).containsExactly("auditor");
  }
}
