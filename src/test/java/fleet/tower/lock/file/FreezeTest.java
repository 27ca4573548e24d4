package fleet.tower.lock.file;

import static fleet.tower.lease.Actors.ACTOR;
import static fleet.tower.lease.Actors.ORIGIN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.Origin;
import fleet.tower.lease.Actor;
import fleet.tower.lease.Actors;
import fleet.tower.lease.Decision;
import fleet.tower.lease.Door;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.Freeze;
import fleet.tower.lock.FreezeRequest;
import fleet.tower.lock.FreezeState;
import fleet.tower.lock.FreezeStore.FreezeOutcome;
import fleet.tower.lock.FreezeStore.UnfreezeOutcome;
import fleet.tower.lock.FreezeStoreContract;
import fleet.tower.lock.Freezes;
import fleet.tower.lock.LockStore;
import fleet.tower.lock.ReleaseOutcome;
import fleet.tower.lock.TestRequest;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonReader;

@DisplayName("A frozen name gets no new holder")
class FreezeTest extends FreezeStoreContract {
  private final FileFixture files;
  private final Path freezeFile;

  FreezeTest(@TempDir Path temp) {
    files = new FileFixture(temp.resolve("locks"));
    freezeFile = files.directory().resolve(".prod.freeze");
  }

  @AfterEach
  void close() {
    files.close();
  }

  @Override
  protected LockStore store() {
    return files.store();
  }

  @Override
  protected void reopen() {
    files.close();
  }

  @Override
  protected void pass(Duration duration) {
    files.time().advance(duration);
  }

  @Override
  protected Instant now() {
    return files.time().now();
  }

  @Test
  @DisplayName("A refusal by a freeze, and an unfreeze without a freeze, change no file")
  void writesNothing() {
    files.store().unfreeze(PROD);
    assertThat(files.directory()).doesNotExist();
    freeze(1800);
    List<String> before = files.everything();
    acquire("req_a");
    files.store().acquire(TestRequest.by("req_a", "prod").withForce().request());
    files.store().freeze(request(7));
    assertThat(files.everything()).isEqualTo(before);
  }

  @Test
  @DisplayName("An expired freeze is removed by the next unfreeze, but not by reads")
  void sweepsWhatIsOver() {
    freeze(5);
    pass(Duration.ofSeconds(6));
    files.store().view(PROD);
    files.store().list();
    assertThat(freezeFile).exists();
    files.store().unfreeze(PROD);
    assertThat(freezeFile).doesNotExist();
  }

  @Test
  @DisplayName("LK-30 similar names freeze independently: prod, tmp-prod, prod-freeze")
  void namesThatLookAlike() {
    freeze(1800);
    for (String other : List.of("tmp-prod", "prod-freeze", "freeze", "prod_")) {
      if (LeaseName.isValid(other)) {
        files.granted(TestRequest.by("req_" + other, other));
      }
    }
    files.store()
        .freeze(new FreezeRequest(new LeaseName("tmp-prod"), new RequestId("r"), "ann", "x", new Ttl(9), null));
    assertThat(files.store().freezes().keySet()).containsExactly(PROD, new LeaseName("tmp-prod"));
    assertThat(files.store().list()).extracting(view -> view.name().value())
        .containsExactly("freeze", "prod", "prod-freeze", "tmp-prod");
  }

  @Test
  @DisplayName("The file is private to its owner, on disk before the response, and not matched by *.lock")
  void file() throws IOException {
    List<String> calls = new ArrayList<>();
    try (LockStore store = FileStores.on(new TappedDirectory(files.nio(true),
        call -> calls.add(call.operation() + " " + call.file())), files.time())) {
      store.freeze(request(1800));
    }
    assertThat(calls).containsExactly("enter .guard", "has .prod.freeze", "create .tmp-prod.freeze.new",
        "rename .prod.freeze", "sync .", "leave .guard");
    assertThat(Files.getPosixFilePermissions(freezeFile)).isEqualTo(PosixFilePermissions.fromString("rw-------"));
    assertThat(freezeFile).hasContent("""
        {
          "freeze_version": "v1",
          "lock_name": "prod",
          "request_id": "req_freeze",
          "actor": "ann",
          "reason": "migration",
          "created_at": "2025-12-18T10:30:10Z",
          "ttl_seconds": 1800,
          "expires_at": "2025-12-18T11:00:10Z"
        }
        """);
    assertThat(files.names()).containsExactly(".guard", ".prod.freeze");
  }

  @Test
  @DisplayName("A refusal by a freeze enters no guard and syncs nothing; a grant checks twice for a freeze")
  void costs() {
    freeze(1800);
    List<String> calls = new ArrayList<>();
    try (LockStore store = FileStores.on(new TappedDirectory(files.nio(true),
        call -> calls.add(call.operation() + " " + call.file())), files.time())) {
      store.acquire(TestRequest.by("req_a", "prod").request());
      assertThat(calls).containsExactly("read .journal", "has .journal", "has .journal.old", "read prod.lock",
          "has .prod.freeze", "read .prod.freeze");
      calls.clear();
      store.acquire(TestRequest.by("req_a", "free").request());
      assertThat(calls).containsSubsequence("has .free.freeze", "enter .guard", "has .free.freeze", "link free.lock");
      assertThat(calls).filteredOn(call -> call.endsWith(".freeze")).hasSize(2);
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("unreadable")
  @DisplayName("LK-B15 an unreadable freeze blocks too, is reported with its remedy, and can be lifted")
  void failsClosed(String what, String problem, Consumer<Path> put) throws IOException {
    Files.createDirectories(files.directory());
    put.accept(freezeFile);
    FreezeState freeze = new FreezeState.Corrupt(freezeFile.toString(), problem);

    assertThat(files.store().freezeState(PROD)).as(what).isEqualTo(freeze);
    assertThat(files.store().acquire(TestRequest.by("req_a", "prod").withForce().request())).isEqualTo(
        new AcquireOutcome.Refused(new Decision.FrozenUnreadably(freezeFile.toString(), problem)));
    assertThat(files.store().freeze(request(60))).isEqualTo(new FreezeOutcome.AlreadyFrozen(freeze));
    assertThat(files.store().freezes()).containsOnlyKeys(PROD).containsValue(freeze);
    assertThat(files.store().list()).singleElement().matches(view -> view.freeze().equals(freeze));
    files.time().advance(Duration.ofDays(30));
    assertThat(files.store().unfreeze(PROD))
        .isEqualTo(new UnfreezeOutcome.Unfrozen(freeze, files.time().now()));
    assertThat(acquire("req_a")).isInstanceOf(AcquireOutcome.Granted.class);
  }

  private static Stream<Arguments> unreadable() {
    String whole = """
        {"freeze_version":"v1","lock_name":"prod","request_id":"r","actor":"ann","reason":"x",\
        "created_at":"2025-12-18T10:30:10Z","ttl_seconds":60}""";
    return Stream.of(
        text("empty", "", problemOf("")),
        text("torn", whole.substring(0, 60), problemOf(whole.substring(0, 60))),
        text("of a newer version", whole.replace("v1", "v2"), "freeze_version is not v1"),
        text("another's", whole.replace("\"prod\"", "\"dev\""), "lock_name does not match the file name"),
        text("without an actor", whole.replace("\"actor\":\"ann\",", ""), "actor is not a string"),
        text("endless", whole.replace("60}", "604801}"), "ttl 604801 s is outside 1 to 604800 seconds (7 days)"),
        text("with a fraction", whole.replace("60}", "60.5}"), "ttl_seconds is not an integer that fits"),
        text("of no time", whole.replace("2025-12-18T", "yesterday "),
            "created_at is not a UTC time like 2025-12-18T10:30:10Z"),
        Arguments.of("a directory", "a directory, not a regular file", put(Files::createDirectory)),
        Arguments.of("a link to nowhere", "a symbolic link, not a regular file",
            put(file -> Files.createSymbolicLink(file, Path.of("/nowhere/at/all")))),
        Arguments.of("another user's", "owned by user 12345, not by the owner of the directory", put(file -> {
          Files.writeString(file, whole);
          Files.setAttribute(file, "unix:uid", 12345);
        })));
  }

  private static Arguments text(String what, String content, String problem) {
    return Arguments.of(what, problem, put(file -> Files.write(file, content.getBytes(StandardCharsets.UTF_8))));
  }

  private static String problemOf(String content) {
    try {
      JsonReader.readObject(content.getBytes(StandardCharsets.UTF_8));
      throw new AssertionError("that is JSON");
    } catch (JsonException e) {
      return "not a JSON object: " + e.getMessage();
    }
  }

  private interface Putting {
    void put(Path file) throws IOException;
  }

  private static Consumer<Path> put(Putting putting) {
    return file -> {
      try {
        putting.put(file);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    };
  }

  @Test
  @DisplayName("LK-B15 a non-empty directory cannot be removed: the error says so, and the name stays frozen")
  void whatCannotBeRemoved() throws IOException {
    Files.createDirectories(freezeFile.resolve("something"));
    assertThatThrownBy(() -> files.store().unfreeze(PROD)).isInstanceOf(StorageException.class)
        .hasMessageContaining("ENOTEMPTY").hasMessageContaining(freezeFile.toString());
    assertThat(acquire("req_a")).isInstanceOf(AcquireOutcome.Refused.class);
  }

  @Test
  @DisplayName("LK-36 freeze and unfreeze are audited with actor, reason and duration; a call that changes "
      + "nothing is not")
  void audit() {
    Freezes freezes = new Freezes(files.store(), files.audit());
    Freeze freeze = request(1800).from(files.time().now());
    freezes.freeze(request(1800), Door.CLI);
    freezes.freeze(request(1800), Door.CLI);
    files.time().advance(Duration.ofSeconds(5));
    RequestId lifting = new RequestId("req_lift");
    freezes.unfreeze(ACTOR, PROD, lifting);
    freezes.unfreeze(ACTOR, PROD, lifting);
    AuditEvent.FreezeTerms told = new AuditEvent.FreezeTerms("ann", "migration", new Ttl(1800), freeze.expiresAt(),
        null);
    assertThat(files.audit().events()).containsExactly(
        new AuditEvent.LockFrozen(new RequestId("req_freeze"), START, PROD, told,
            Origin.of(new Actor("ann", Door.CLI))),
        new AuditEvent.LockUnfrozen(lifting, START.plusSeconds(5), PROD, told, ORIGIN));
  }

  @Test
  @DisplayName("LK-B18 a refusal by a freeze is audited as lock_frozen, once per request")
  void auditsRefusals() {
    freeze(1800);
    files.locks().acquire(TestRequest.by("req_a", "prod").request());
    assertThat(files.locks().refusal(TestRequest.by("req_b", "prod").request())).isPresent();
    assertThat(files.audit().events()).containsExactly(
        new AuditEvent.LockBlocked(new RequestId("req_a"), START, PROD, "lock_frozen", null,
            Actors.of(TestRequest.HOLDER)),
        new AuditEvent.LockBlocked(new RequestId("req_b"), START, PROD, "lock_frozen", null,
            Actors.of(TestRequest.HOLDER)));
  }

  @Test
  @DisplayName("LK-B16 a freeze has a reason, and a duration in whole seconds of up to seven days")
  void limits() {
    assertThatThrownBy(() -> request(0)).isInstanceOf(InvalidValue.class);
    assertThatThrownBy(() -> request(604_801)).isInstanceOf(InvalidValue.class);
    for (String reason : List.of("", " ", "x".repeat(1001))) {
      assertThatThrownBy(() -> new FreezeRequest(PROD, new RequestId("r"), "ann", reason, new Ttl(1), null))
          .isInstanceOf(InvalidValue.class).hasMessageStartingWith("reason must have 1 to 1000 characters");
    }
    assertThat(files.store().release(PROD, TestRequest.owner(new RequestId("r")), FencingToken.NONE))
        .isEqualTo(new ReleaseOutcome.Absent());
  }
}
