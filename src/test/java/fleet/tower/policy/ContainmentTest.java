package fleet.tower.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.audit.AuditBudget;
import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.Origin;
import fleet.tower.home.Home;
import fleet.tower.lease.Actor;
import fleet.tower.lease.Door;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.ConcurrentCalls;
import fleet.tower.lock.Halt;
import fleet.tower.lock.HaltRequest;
import fleet.tower.platform.sql.PostgresServer;
import fleet.tower.platform.time.ManualTime;
import fleet.tower.service.config.TestService;

@DisplayName("The containment of actors who are refused too often")
class ContainmentTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final RequestId ID = new RequestId("r");

  private final Path directory;
  private final List<Home> homes = new ArrayList<>();
  private final List<String> warnings = new ArrayList<>();

  ContainmentTest(@TempDir Path directory) {
    this.directory = directory;
  }

  @AfterEach
  void close() {
    homes.forEach(Home::close);
  }

  private Home home(String name, String rules, @Nullable String database) {
    Path root = directory.resolve(name);
    TestService.makeHome(root);
    try {
      Files.writeString(Files.createDirectories(root.resolve("config")).resolve("policy.yaml"), rules);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Map<String, String> environment = new HashMap<>(Map.of("TOWER_LOCK_INSECURE_DIRECTORY", "true", "TOWER_HOST_ID",
        name));
    if (database != null) {
      environment.put("TOWER_DATABASE_URL", database);
    }
    Home home = new Home(root, environment, warnings::add, Home.Listener.NONE);
    homes.add(home);
    return home;
  }

  private static AuditEvent blocked(String actor, String error) {
    return new AuditEvent.LockBlocked(ID, NOW, new LeaseName("prod"), error, null,
        Origin.of(new Actor(actor, Door.CLI)));
  }

  private static AuditEvent.AccessDenied denied(String actor, String reason) {
    return new AuditEvent.AccessDenied(NOW, null, null, reason, 0, Origin.of(new Actor(actor, Door.HTTP)));
  }

  private static void refuse(Home home, int times, AuditEvent event) {
    for (int i = 0; i < times; i++) {
      home.auditLog().append(event);
    }
  }

  private static List<Halt> halts(Home home) {
    return home.halts().inForce().halts();
  }

  private static List<String> halted(Home home) {
    return halts(home).stream().flatMap(halt -> halt.scope().actors().stream()).toList();
  }

  /** Refuses an actor at the same moment on each of some hosts; returns how many halts were placed. */
  private long atOnce(List<Home> hosts) {
    List<ConcurrentCalls.Work<Boolean>> refusals = IntStream.range(0, 16).<ConcurrentCalls.Work<Boolean>>mapToObj(
        i -> () -> {
          refuse(hosts.get(i % hosts.size()), 1, blocked("claude-1", "window_closed"));
          return true;
        }).toList();
    ConcurrentCalls.call(refusals);
    return hosts.stream().map(home -> home.root().resolve("logs/audit")).flatMap(ContainmentTest::lines)
        .filter(line -> line.contains("\"halt_placed\"")).count();
  }

  private static Stream<String> lines(Path log) {
    try (Stream<Path> files = Files.list(log)) {
      List<String> lines = new ArrayList<>();
      for (Path file : files.filter(it -> it.toString().endsWith(".jsonl")).toList()) {
        lines.addAll(Files.readAllLines(file));
      }
      return lines.stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  @DisplayName("Of 16 refusals at the same time, one places the halt, with the level and length of the rule")
  void once() {
    Home home = home("tower-01", "contain: [ { name: bots, refusals: 10/10m, level: kill, for: 1h } ]", null);
    refuse(home, 9, blocked("claude-1", "quota_exceeded"));
    assertThat(halts(home)).isEmpty();
    assertThat(atOnce(List.of(home))).isEqualTo(1);
    assertThat(halts(home)).singleElement().satisfies(halt -> {
      assertThat(halt.name()).isEqualTo("contain-bots-claude-1");
      assertThat(halt.scope()).isEqualTo(Halt.Scope.of(List.of("claude-1"), List.of(), List.of()));
      assertThat(halt.level()).isEqualTo(Halt.Level.KILL);
      assertThat(halt.actor()).isEqualTo("policy");
      assertThat(halt.reason()).isEqualTo("rule bots of the policy: 10 refusals in 10m");
      assertThat(halt.ttl()).isEqualTo(Duration.ofHours(1));
    });
    assertThat(warnings).isEmpty();
  }

  @Test
  @DisplayName("The hosts of a fleet count together, and one of them places the halt")
  void fleet() {
    String url = PostgresServer.newDatabase();
    String rules = "contain: [ { name: bots, refusals: 16/10m } ]";
    List<Home> hosts = List.of(home("tower-01", rules, url), home("tower-02", rules, url));
    assertThat(atOnce(hosts)).isEqualTo(1);
    assertThat(hosts).allSatisfy(host -> assertThat(halted(host)).containsExactly("claude-1"));
    assertThat(warnings).isEmpty();
  }

  @Test
  @DisplayName("What a rule or a right is against counts; other refusals, and those of others, do not")
  void counted() {
    Home home = home("tower-01", "contain: [ { name: bots, actors: [\"bot-*\"], refusals: 3/10m } ]", null);
    for (String error : List.of("halted", "lock_blocked", "lock_stale", "lock_frozen")) {
      refuse(home, 4, blocked("bot-1", error));
    }
    for (String reason : List.of("expired_token", "unknown_token", "no_role", "host_not_allowed")) {
      refuse(home, 4, denied("bot-1", reason));
    }
    refuse(home, 4, denied("ada", "role_too_low"));
    refuse(home, 4, new AuditEvent.AccessDenied(NOW, null, null, "role_too_low", 0, null));
    assertThat(halts(home)).isEmpty();

    refuse(home, 1, denied("bot-1", "intent_not_allowed"));
    refuse(home, 1, blocked("bot-1", "window_closed"));
    assertThat(halts(home)).isEmpty();
    refuse(home, 1, new AuditEvent.RunRefused(ID, NOW, "deploy", null, "params_not_allowed",
        Origin.of(new Actor("bot-1", Door.HTTP))));
    assertThat(halted(home)).containsExactly("bot-1");
  }

  @Test
  @DisplayName("A refusal counts for its actor, never for the one for whom it says it acts, and a name is no pattern")
  void pretended() {
    Home home = home("tower-01", "contain: [ { name: bots, actors: [\"bot-*\"], refusals: 3/10m, for: 1h } ]", null);
    refuse(home, 3, new AuditEvent.AccessDenied(NOW, null, null, "role_too_low", 0,
        Origin.of(new Actor("ci", "bot-1", Door.HTTP))));
    assertThat(halted(home)).containsExactly("ci");
    refuse(home, 3, blocked("bot-*", "window_closed"));
    assertThat(halted(home)).containsExactly("ci");
    refuse(home, 3, blocked("bot-B@x", "window_closed"));
    assertThat(halts(home)).extracting(Halt::name).hasSize(2).last().asString().matches("contain-bots-[0-9a-f]{16}");
  }

  @Test
  @DisplayName("A lifted halt is not placed again by refusals before, nor by those while it was in force; one that an "
      + "operator has placed is not replaced")
  void lifted() {
    Home home = home("tower-01", "contain: [ { name: bots, refusals: 3/10m } ]", null);
    AuditEvent event = blocked("bot-1", "window_closed");
    refuse(home, 8, event);
    assertThat(halted(home)).containsExactly("bot-1");
    home.halts().lift(new Actor("ada", Door.CLI), "contain-bots-bot-1", ID);
    refuse(home, 2, event);
    assertThat(halts(home)).isEmpty();
    Halt.Scope all = Halt.Scope.of(List.of("bot-1"), List.of(), List.of("prod"));
    home.halts().place(new HaltRequest("contain-bots-bot-1", ID, all, Halt.Level.KILL, "ada", null, "mine", null),
        null);
    refuse(home, 1, event);
    assertThat(halts(home)).hasSize(2).filteredOn(halt -> halt.name().equals("contain-bots-bot-1")).singleElement()
        .satisfies(halt -> assertThat(halt.actor()).isEqualTo("ada"));
    refuse(home, 4, event);
    assertThat(halts(home)).hasSize(2);
  }

  @Test
  @DisplayName("A policy that is only observed counts nothing")
  void observed() {
    Home home = home("tower-01", "mode: observe\ncontain: [ { name: bots, refusals: 1/10m } ]", null);
    refuse(home, 4, denied("bot-1", "role_too_low"));
    assertThat(halts(home)).isEmpty();
  }

  @Test
  @DisplayName("A refusal counts that the audit log leaves out because others made too many")
  void omitted() {
    Home home = home("tower-01", "contain: [ { name: bots, actors: [bot-1], refusals: 2/10m } ]", null);
    ManualTime time = new ManualTime();
    AuditBudget budget = new AuditBudget(home.auditLog(), time, time);
    for (int i = 0; i < 700; i++) {
      budget.append(denied("flood", "role_too_low"));
    }
    budget.append(denied("bot-1", "role_too_low"));
    assertThat(halts(home)).isEmpty();
    budget.append(denied("bot-1", "role_too_low"));
    assertThat(halted(home)).containsExactly("bot-1");
  }
}
