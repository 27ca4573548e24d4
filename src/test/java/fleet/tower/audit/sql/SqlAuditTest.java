package fleet.tower.audit.sql;

import static fleet.tower.lease.Actors.ACTOR;
import static fleet.tower.lease.Actors.ORIGIN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.AuditLog;
import fleet.tower.audit.AuditTrail;
import fleet.tower.audit.AuditTrailContract;
import fleet.tower.audit.Origin;
import fleet.tower.harness.Await;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.file.ChildJvm;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.sql.DirectTables;
import fleet.tower.platform.sql.PostgresServer;
import fleet.tower.platform.sql.StallingProxy;
import fleet.tower.platform.time.SystemTime;

@DisplayName("The fleet's table contains every event of every host once")
class SqlAuditTest {
  private static final Instant AT = Instant.parse("2026-01-01T08:00:00Z");
  private static final String LINE = "{\"event\":\"lock_acquired\",\"request_id\":\"%s\",\"timestamp\":"
      + "\"2026-01-01T08:00:00Z\",\"lock_name\":\"prod\",\"lock_path\":\"/locks/prod.lock\",\"ttl_seconds\":900%s}";

  private final String url = PostgresServer.newDatabase();

  @TempDir
  private Path temp = Path.of("not-yet");

  private AuditHost host(String id, String directory) {
    return new AuditHost(id, url).in(temp.resolve(directory));
  }

  private static void write(AuditHost host, String requestId) {
    host.log().write(List.of(AuditTrailContract.acquiredBy(requestId, AT)));
  }

  private Path day(String directory) {
    return temp.resolve(directory).resolve("audit/audit-2026-01-01.jsonl");
  }

  private int rows() {
    return Integer.parseInt(new DirectTables(url).look("SELECT COUNT(*) FROM audit_events").getFirst());
  }

  @Test
  @DisplayName("Two hosts see each other's events, with the host at the end of each line; their own files stay "
      + "unchanged")
  void twoHosts() {
    try (AuditHost here = host("here", "a"); AuditHost there = host("there \"2\"", "b")) {
      write(here, "r1");
      Await.until("the row of the first host", () -> tablesExist() && rows() == 1);
      write(there, "r2");

      List<String> lines = new ArrayList<>();
      there.trail().read(new AuditTrail.Query(null, null, null, null, null), entry -> lines.add(entry.line()));
      assertThat(lines).containsExactly(LINE.formatted("r1", ",\"host_id\":\"here\""),
          LINE.formatted("r2", ",\"host_id\":\"there \\\"2\\\"\""));
      lines.clear();
      there.trail().ofThisHost().read(new AuditTrail.Query(null, null, null, null, null),
          entry -> lines.add(entry.line()));
      assertThat(lines).containsExactly(LINE.formatted("r2", ""));
    }
  }

  @Test
  @DisplayName("Events of a process arrive shortly afterwards, and at the latest when it ends, without a query")
  void arrives() {
    AuditHost here = host("here", "a");
    try (here) {
      write(here, "r1");
      Await.until("the rows", () -> tablesExist() && rows() == 1);
      write(here, "r2");
    }
    if (here.warnings().isEmpty()) {
      assertThat(rows()).isEqualTo(2);
    } else {
      // The end of a process waits a second for the database, which a busy machine may exceed.
      Await.until("the last row", () -> rows() == 2);
    }
  }

  private boolean tablesExist() {
    return new DirectTables(url).look("SELECT to_regclass('audit_shipped')").getFirst().equals("audit_shipped");
  }

  @Test
  @DisplayName("A service copies events of other processes of its host, and events from before the fleet")
  void watches() {
    try (AuditHost service = host("here", "a")) {
      service.files().log().write(List.of(AuditTrailContract.acquiredBy("before", AT)));
      service.common().watch();
      Await.until("the rows", () -> tablesExist() && rows() == 1);
      service.files().log().write(List.of(AuditTrailContract.acquiredBy("left", AT)));
      Await.until("the rows", () -> rows() == 2);
    }
  }

  @Test
  @DisplayName("Concurrent copies of the same lines write each once, in the order of the file")
  void onceForAll() {
    List<AuditHost> processes = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      processes.add(host("here", "a"));
    }
    AuditLog files = processes.getFirst().files().log();
    List<String> told = new ArrayList<>();
    for (int i = 0; i < 3000; i++) {
      files.write(List.of(new AuditEvent.RunQueued(new RequestId("r" + i), AT, "deploy", null, ORIGIN)));
      told.add("r" + i + "@here");
    }
    CompletableFuture.allOf(processes.stream().map(it -> CompletableFuture.runAsync(() -> {
      it.seen();
    })).toArray(CompletableFuture[]::new)).join();

    assertThat(processes.getLast().seen()).isEqualTo(told);
    processes.forEach(AuditHost::close);
    assertThat(rows()).isEqualTo(3000);
    assertThat(new DirectTables(url).look("SELECT at_byte FROM audit_shipped"))
        .containsExactly(Long.toString(day("a").toFile().length()));
  }

  @Test
  @DisplayName("An event and its actor arrive in one transaction and next to each other, however many hosts write "
      + "and copy")
  void actors() {
    int each = 150;
    List<AuditHost> hosts = List.of(host("here", "a"), host("here", "a"), host("there", "b"), host("there", "b"));
    for (int i = 0; i < 499; i++) {
      // The longest step of the copy ends after the event of the next pair.
      hosts.getFirst().files().log()
          .write(List.of(new AuditEvent.RunQueued(new RequestId("q" + i), AT, "deploy", null, ORIGIN)));
    }
    CompletableFuture.allOf(IntStream.range(0, hosts.size()).mapToObj(who -> CompletableFuture.runAsync(() -> {
      for (int i = 0; i < each; i++) {
        hosts.get(who).log().append(AuditTrailContract.acquiredBy(who + "-" + i, AT));
        if (i % 10 == 0) {
          hosts.get(who).seen();
        }
      }
    })).toArray(CompletableFuture[]::new)).join();
    hosts.forEach(AuditHost::seen);

    List<String> rows = new DirectTables(url).look("SELECT xmin || ' ' || request_id || ' ' || event FROM audit_events"
        + " WHERE event <> 'run_queued' ORDER BY sequence");
    assertThat(rows).hasSize(hosts.size() * each * 2);
    for (int i = 0; i < rows.size(); i += 2) {
      assertThat(rows.get(i)).endsWith(" lock_acquired");
      assertThat(rows.get(i + 1)).isEqualTo(rows.get(i).replace("lock_acquired", "lock_actor"));
    }
    hosts.forEach(AuditHost::close);
  }

  @Test
  @DisplayName("A line with the host of its actor keeps it; other lines get the host that wrote them")
  void hosts() {
    try (AuditHost here = host("here", "a")) {
      Origin elsewhere = new Origin(ACTOR, null, "laptop", null, null);
      here.log().append(new AuditEvent.LockReleased(new RequestId("r1"), AT, new LeaseName("prod"), 1, "success", null,
          elsewhere));
      List<String> lines = new ArrayList<>();
      here.trail().read(new AuditTrail.Query(null, null, null, null, null), entry -> lines.add(entry.line()));
      assertThat(lines).satisfiesExactly(released -> assertThat(released).endsWith(",\"host_id\":\"here\"}"),
          actor -> assertThat(actor).endsWith("\"door\":\"cli\",\"host_id\":\"laptop\"}"));
    }
  }

  @Test
  @DisplayName("A process killed between file and table loses and duplicates nothing")
  @ProofsProfile
  void killed() throws IOException {
    Path output = temp.resolve("output");
    int round = 0;
    for (long delay : new long[]{0, 30, 90, 140, 260}) {
      int told = round++;
      Process process = ChildJvm.start(AuditWriterMain.class,
          List.of(temp.resolve("a").toString(), url, "k" + told + "-"), output);
      // The last writer is killed after several lines, however slow the machine is.
      long least = told < 4 ? 1 : 3;
      Await.until("its lines",
          () -> lines().stream().filter(line -> line.contains("\"k" + told + "-")).count() >= least);
      SystemTime.scheduler().pause(Duration.ofMillis(delay));
      ChildJvm.signal(process, "KILL");
      ChildJvm.exitCode(process);
    }
    List<String> written = lines().stream().map(line -> line.replaceAll(".*\"request_id\":\"([^\"]*)\".*", "$1@here"))
        .toList();
    try (AuditHost next = host("here", "a")) {
      assertThat(next.seen()).isEqualTo(written).doesNotHaveDuplicates().hasSizeGreaterThan(5);
    }
    assertThat(Files.readString(output)).isEmpty();
  }

  private List<String> lines() {
    try {
      return Files.exists(day("a")) ? Files.readAllLines(day("a")) : List.of();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  @DisplayName("A stalled server blocks no one: writes continue, the end waits a second, and the next process "
      + "copies the events")
  @ProofsProfile
  void stalled() {
    StallingProxy wire = new StallingProxy(url);
    try (AuditHost here = new AuditHost("here", wire.url()).in(temp.resolve("a")); wire) {
      write(here, "r1");
      Await.until("the rows", () -> tablesExist() && rows() == 1);
      wire.stall();
      long before = SystemTime.source().nanos();
      for (int i = 0; i < 20; i++) {
        write(here, "s" + i);
      }
      long told = SystemTime.source().nanos();
      assertThat(here.common().finish()).isFalse();
      assertThat(Duration.ofNanos(told - before)).isLessThan(Await.LIMIT);
      assertThat(Duration.ofNanos(SystemTime.source().nanos() - told)).isBetween(Duration.ofMillis(900),
          Await.LIMIT);
      assertThat(here.warnings()).containsExactly("audit events are in this host's files but not yet in the fleet's"
          + " table, where they are copied later: the database takes too long");
      try (AuditHost next = host("here", "a")) {
        assertThat(next.seen()).hasSize(21).startsWith("r1@here", "s0@here").endsWith("s19@here");
      }
    }
    assertThat(rows()).isEqualTo(21);
  }

  @Test
  @DisplayName("A missing database is reported once, queries fail, and events arrive when it is back")
  void unavailable() {
    Path home = temp.resolve("a");
    AuditHost cut = new AuditHost("here", "jdbc:postgresql://localhost:1/none").in(home);
    write(cut, "r1");
    Await.until("a warning", () -> !cut.warnings().isEmpty());
    write(cut, "r2");
    assertThatThrownBy(cut::seen).isInstanceOf(StorageException.class).hasMessageContaining("cannot be reached");
    assertThat(cut.common().finish()).isTrue();
    assertThat(cut.warnings()).singleElement().asString().contains("copied later: the database")
        .contains("cannot be reached");
    try (AuditHost back = host("here", "a")) {
      assertThat(back.seen()).containsExactly("r1@here", "r2@here");
    }
  }

  @Test
  @DisplayName("LK-B18 invalid lines, incomplete lines and replaced files: each event is copied once")
  void damagedFiles() throws IOException {
    try (AuditHost here = host("here", "a")) {
      write(here, "r1");
      assertThat(here.seen()).containsExactly("r1@here");
      Files.writeString(day("a"), "torn\n\n" + LINE.formatted("half", "").substring(0, 40), StandardOpenOption.APPEND);
      assertThat(here.seen()).containsExactly("r1@here");
      Files.writeString(day("a"), LINE.formatted("half", "").substring(40) + "\n", StandardOpenOption.APPEND);
      assertThat(here.seen()).containsExactly("r1@here", "half@here");

      Files.copy(day("a"), temp.resolve("copy"));
      Files.move(temp.resolve("copy"), day("a"), StandardCopyOption.ATOMIC_MOVE);
      write(here, "r2");
      assertThat(here.seen()).containsExactly("r1@here", "half@here", "r2@here");
      Files.writeString(day("a"), LINE.formatted("x1", "") + "\n" + LINE.formatted("x2", "") + "\n");
      assertThat(here.seen()).containsExactly("r1@here", "half@here", "r2@here", "x1@here", "x2@here");
      Files.delete(day("a"));
      write(here, "r3");
      assertThat(here.seen()).endsWith("x2@here", "r3@here").hasSize(6);
    }
  }

  @Test
  @DisplayName("Text that a database cannot store, and names of any length, do not block later lines")
  void unstorable() throws IOException {
    try (AuditHost here = host("here", "a")) {
      write(here, "r1");
      String zero = "\\" + "u0000";
      String half = "\\" + "ud800";
      Files.writeString(day("a"), LINE.formatted("x" + zero + half, "") + "\n"
          + LINE.formatted("y".repeat(100_000), "") + "\n", StandardOpenOption.APPEND);
      write(here, "r2");
      List<String> seen = here.seen();
      assertThat(seen).hasSize(4).startsWith("r1@here", "x??@here").endsWith("r2@here");
    }
  }

  @Test
  @DisplayName("A log is identified by its own id: a renamed host copies nothing twice, two homes of one host copy all")
  void names() throws IOException {
    try (AuditHost before = host("pod-1", "a")) {
      write(before, "r1");
      assertThat(before.seen()).containsExactly("r1@pod-1");
    }
    try (AuditHost after = host("pod-2", "a"); AuditHost other = host("pod-2", "b")) {
      write(after, "r2");
      write(other, "r3");
      assertThat(other.seen()).contains("r3@pod-2");
      assertThat(after.seen()).containsExactlyInAnyOrder("r1@pod-1", "r2@pod-2", "r3@pod-2");
    }
    assertThat(Files.readString(temp.resolve("a/audit/.log-id"))).matches("log_[0-9a-f]{32}\n")
        .isNotEqualTo(Files.readString(temp.resolve("b/audit/.log-id")));
    assertThat(temp.resolve("a/audit").toFile().list()).containsExactlyInAnyOrder(".log-id", "audit-2026-01-01.jsonl");
  }

  @Test
  @DisplayName("Two copies of one log that both grow: all lines of each are copied, common ones once")
  void copies() throws IOException {
    try (AuditHost first = host("here", "a")) {
      write(first, "shared");
    }
    Files.createDirectories(temp.resolve("b/audit"));
    for (String file : List.of(".log-id", "audit-2026-01-01.jsonl")) {
      Files.copy(temp.resolve("a/audit").resolve(file), temp.resolve("b/audit").resolve(file));
    }
    try (AuditHost first = host("here", "a"); AuditHost second = host("there", "b")) {
      for (int i = 0; i < 3; i++) {
        write(first, "a" + i);
        first.seen();
        write(second, "b" + i);
        second.seen();
      }
      assertThat(first.seen()).containsExactlyInAnyOrder("shared@here", "a0@here", "a1@here", "a2@here", "b0@there",
          "b1@there", "b2@there");
    }
  }
}
