package fleet.tower.lock.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import fleet.tower.lease.FencingToken;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseState;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.LockFileContent;
import fleet.tower.lock.LockStore;
import fleet.tower.lock.LockView;
import fleet.tower.lock.MovingLocks;
import fleet.tower.lock.ReleaseOutcome;
import fleet.tower.lock.TestRequest;
import fleet.tower.platform.Finding;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.disk.RecordedFiles;
import fleet.tower.platform.time.SystemTime;

@DisplayName("After a power cut, the locks are what was reported: granted ones are there, released ones are not")
class RestorationTest {
  private static final LeaseName PROD = new LeaseName("prod");
  private static final TestRequest ANNA = TestRequest.by("req_anna", "prod");
  private static final TestRequest BERT = TestRequest.by("req_bert", "prod");

  private final Path temp;
  @AutoClose
  private final FileFixture files;
  private final Path locks;
  private final Path lock;
  private final Path fence;

  RestorationTest(@TempDir(factory = InMemoryDirectory.class) Path temp) {
    this.temp = temp;
    files = new FileFixture(temp.resolve("locks"));
    locks = files.directory();
    lock = files.lock("prod");
    fence = locks.resolve(".prod.fence");
  }

  private void reboot() {
    files.close();
    PowerCut.reboot(locks);
  }

  /** What a look shows, which changes nothing, and what is there when the first change has restored it. */
  private LeaseState state() {
    List<String> before = files.everything();
    LockView seen = files.store().view(PROD);
    assertThat(files.store().list()).isEqualTo(seen.isFree() ? List.of() : List.of(seen));
    assertThat(files.everything()).isEqualTo(before);
    files.store().forceRelease(new LeaseName("unused"));
    assertThat(files.store().view(PROD)).isEqualTo(seen);
    return seen.leaseState();
  }

  private void requireHeld(Lease lease) {
    requireHeld(lease, state());
  }

  private static void requireHeld(Lease lease, LeaseState state) {
    assertThat(state).isInstanceOfSatisfying(LeaseState.Held.class,
        held -> assertThat(held.lease()).isEqualTo(lease));
  }

  private static void delete(Path file) {
    try {
      Files.delete(file);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("losses")
  @DisplayName("A granted lock is put back, byte for byte, whatever was lost of it; the next token is higher")
  void putsBack(String what, Consumer<Path> lose) {
    Lease held = files.granted(ANNA);
    byte[] written = files.bytes("prod");
    reboot();
    lose.accept(lock);

    requireHeld(held);
    assertThat(files.bytes("prod")).as(what).isEqualTo(written);
    files.store().release(PROD, held.owner(), held.token());
    assertThat(files.granted(BERT).token()).isGreaterThan(held.token());
  }

  private static Stream<Arguments> losses() {
    return Stream.of(loss("nothing", _ -> {}), loss("its name", PowerCut::loseName),
        loss("its content", lock -> FileFixture.write(lock, new byte[0])),
        loss("half of its content",
            lock -> FileFixture.write(lock, new String(FileFixture.read(lock), StandardCharsets.UTF_8)
                .substring(0, 120).getBytes(StandardCharsets.UTF_8))),
        loss("its content, which is zeros", lock -> FileFixture.write(lock, new byte[300])),
        loss("its name and its counter", lock -> {
          PowerCut.loseName(lock);
          delete(lock.resolveSibling(".prod.fence"));
        }));
  }

  private static Arguments loss(String what, Consumer<Path> lose) {
    return Arguments.of(what, lose);
  }

  @Test
  @DisplayName("A token whose witness has outlived its lock, counter and record is not given again: the witness would say "
      + "of the next lock that it was on the disk")
  void countsWitnesses() {
    Lease first = files.granted(ANNA);
    files.store().release(PROD, first.owner(), first.token());
    reboot();
    FileFixture.write(locks.resolve(".prod.2.granted"), new byte[0]);

    Lease held = files.granted(BERT);
    assertThat(held.token()).isEqualTo(new FencingToken(3));
    reboot();
    PowerCut.loseName(lock);
    FileFixture.write(locks.resolve(".prod.2.granted"), new byte[0]);
    requireHeld(held);
  }

  @Test
  @DisplayName("A lock that was released, stolen or removed by force does not come back")
  void removesWhatIsOver() {
    Lease first = files.granted(ANNA);
    byte[] old = files.bytes("prod");
    files.store().release(PROD, first.owner(), first.token());
    reboot();
    FileFixture.write(lock, old);
    assertThat(state()).isEqualTo(new LeaseState.Vacant());

    files.granted(ANNA);
    files.time().advance(Duration.ofHours(1));
    byte[] stale = files.bytes("prod");
    Lease thief = files.granted(BERT.withForce());
    reboot();
    FileFixture.write(lock, stale);
    PowerCut.loseWitness(lock);
    requireHeld(thief);

    byte[] stolen = files.bytes("prod");
    files.store().forceRelease(PROD);
    reboot();
    FileFixture.write(lock, stolen);
    assertThat(state()).isEqualTo(new LeaseState.Vacant());
    assertThat(files.granted(ANNA).token()).isGreaterThan(thief.token());
  }

  @Test
  @DisplayName("The counter of a name whose lock was released is restored, also after several boots")
  void restoresCounters() {
    for (int i = 0; i < 5; i++) {
      Lease held = files.granted(ANNA);
      files.store().release(PROD, held.owner(), held.token());
    }
    for (int boot = 0; boot < 3; boot++) {
      reboot();
      delete(fence);
      assertThat(state()).isEqualTo(new LeaseState.Vacant());
      assertThat(fence).hasContent("000000000000000005\n");
    }
    assertThat(files.granted(ANNA).token()).isEqualTo(new FencingToken(6));
  }

  @Test
  @DisplayName("A renewed lock that is torn comes back as it was carried over; a whole one keeps its heartbeat")
  void restoresRenewedLocks() {
    Lease held = files.granted(ANNA);
    reboot();
    requireHeld(held);
    files.time().advance(Duration.ofSeconds(30));
    files.store().renew(PROD, held.owner(), held.token());
    byte[] renewed = files.bytes("prod");
    reboot();
    assertThat(state()).isInstanceOf(LeaseState.Held.class);
    assertThat(files.bytes("prod")).isEqualTo(renewed);

    reboot();
    FileFixture.write(lock, new byte[0]);
    assertThat(state()).isInstanceOf(LeaseState.Held.class);
    assertThat(files.bytes("prod")).isEqualTo(renewed);
  }

  @Test
  @DisplayName("A lock that the journal does not know stays: of 0.1.0, of a script, and of a release that was refused")
  void keepsUnknownLocks() {
    Lease held = files.granted(ANNA);
    files.store().release(PROD, held.owner(), held.token());
    for (String metadata : List.of("{}", "{\"fencing_token\": 41}")) {
      reboot();
      String other = LockTexts.of("prod", "req_other", "2025-12-18T10:30:10Z").replace("{}", metadata);
      files.put("prod", other);
      assertThat(state()).as(metadata).isInstanceOf(LeaseState.Held.class);
      assertThat(files.text("prod")).isEqualTo(other);
      assertThat(files.store().release(PROD, TestRequest.owner(new RequestId("req_other")),
          FencingToken.NONE)).isInstanceOf(ReleaseOutcome.Released.class);
    }
    assertThat(files.granted(ANNA).token()).isEqualTo(new FencingToken(42));
  }

  @Test
  @DisplayName("A script's lock that is older than the last grant was removed before it, and gives way to it")
  void removesOlderLocksOfScripts() {
    String older = LockTexts.of("prod", "req_script", "2025-12-18T10:30:10Z");
    Lease held = files.granted(ANNA);
    reboot();
    files.put("prod", older);
    PowerCut.loseWitness(lock);
    requireHeld(held);

    files.time().advance(Duration.ofSeconds(1));
    reboot();
    files.put("prod", older.replace("10:30:10Z", "10:30:11Z"));
    assertThat(files.text("prod")).contains("req_script");
    assertThat(state()).isInstanceOfSatisfying(LeaseState.Held.class,
        script -> assertThat(script.lease().requestId()).isEqualTo(new RequestId("req_script")));
  }

  @ParameterizedTest
  @MethodSource("foreignContents")
  @DisplayName("A file that is not a torn lock of ours is left to the operator")
  void keepsForeignFiles(String content) {
    Lease held = files.granted(ANNA);
    files.store().release(PROD, held.owner(), held.token());
    reboot();
    files.put("prod", content);
    assertThat(state()).isInstanceOf(LeaseState.Corrupt.class);
    assertThat(files.text("prod")).isEqualTo(content);
  }

  private static Stream<String> foreignContents() {
    return Stream.of("12345\n", "{\"pid\": 7}", "{\"lock_version\"", "locked by hand");
  }

  @Test
  @DisplayName("Every truncated lock file counts as torn, and a complete one does not")
  void recognizesTornFiles() {
    byte[] whole = LockFileContent.of(files.granted(ANNA));
    for (int length = 0; length < whole.length - 1; length++) {
      assertThat(LockRecord.isTorn(Arrays.copyOf(whole, length))).as("%d bytes", length).isTrue();
    }
    assertThat(LockRecord.isTorn(whole)).isFalse();
  }

  @Test
  @DisplayName("A removed file that could not be read does not come back, because its name is synced")
  void syncsTheRemovalOfUnreadableLocks() {
    files.granted(TestRequest.by("req_other", "other"));
    files.put("prod", "12345\n");
    List<String> calls = new ArrayList<>();
    try (LockStore store = tapped(call -> calls.add(call.operation() + " " + call.file()))) {
      store.forceRelease(PROD);
    }
    assertThat(calls).containsSubsequence("unlink prod.lock", "sync .", "append .journal", "sync .journal");
  }

  /** Dies at a call of a restore, or fails there. */
  private static final class Death extends Error {
    private static final long serialVersionUID = 1;
  }

  @Test
  @DisplayName("A restore that dies or fails before a call, or in the middle of one, is completed by the next")
  void survivesDeathsAndFaults() {
    Path image = temp.resolve("image");
    prepareDamage();
    PowerCut.copy(locks, image);
    List<TappedDirectory.Call> calls = new ArrayList<>();
    check(image, calls::add);
    assertThat(calls).hasSizeGreaterThan(50).anyMatch(call -> call.operation().equals("append"))
        .anyMatch(call -> call.operation().equals("sync"));
    for (TappedDirectory.Call call : calls) {
      check(image, die(call.number(), false));
      check(image, fail(call.number()));
      if (call.content() != null) {
        check(image, die(call.number(), true));
      }
    }
  }

  /** A lost lock, a lock that is back, a torn one, and lost counters. */
  private void prepareDamage() {
    for (String name : List.of("lost", "torn")) {
      files.granted(TestRequest.by("req_" + name, name));
    }
    Lease back = files.granted(TestRequest.by("req_back", "back"));
    byte[] file = files.bytes("back");
    files.store().release(back.name(), back.owner(), back.token());
    reboot();
    files.put("back", file);
    PowerCut.loseName(files.lock("lost"));
    delete(locks.resolve(".lost.fence"));
    delete(locks.resolve(".back.fence"));
    files.put("torn", "{\n  \"lock_version\": \"v1\",\n");
  }

  private TappedDirectory.Tap die(int number, boolean isHalfDone) {
    return call -> {
      if (call.number() == number) {
        byte[] content = call.content();
        if (isHalfDone && content != null) {
          writeHalf(temp.resolve("copy").resolve(call.file()), call.position(), content);
        }
        throw new Death();
      }
    };
  }

  private static TappedDirectory.Tap fail(int number) {
    return call -> {
      if (call.number() == number) {
        throw new FileSystemException(call.file(), null, "No space left on device");
      }
    };
  }

  private static void writeHalf(Path file, int position, byte[] content) throws IOException {
    try (var channel = Files.newByteChannel(file, StandardOpenOption.CREATE,
        StandardOpenOption.WRITE)) {
      channel.position(position);
      channel.write(ByteBuffer.wrap(content, 0, content.length / 2));
    }
  }

  private void check(Path image, TappedDirectory.Tap tap) {
    Path copy = temp.resolve("copy");
    try {
      PowerCut.copy(image, copy);
      try (FileFixture first = new FileFixture(copy);
          LockStore store = FileStores.on(new TappedDirectory(first.nio(true), tap), first.time())) {
        store.acquire(TestRequest.by("req_new", "new").request());
      } catch (Death | StorageException expected) {
        // The next process completes it.
      }
      try (FileFixture next = new FileFixture(copy)) {
        assertThat(next.store().list().stream().map(view -> view.name().value()).filter(name -> !name.equals("new")))
            .containsExactly("lost", "torn");
        for (String name : List.of("lost", "torn", "back")) {
          next.store().forceRelease(new LeaseName(name));
          assertThat(next.granted(TestRequest.by("req_next", name)).token()).as(name).isEqualTo(new FencingToken(2));
        }
        assertThat(next.names()).doesNotContain(".journal.old");
      }
      try (Stream<Path> left = Files.list(copy)) {
        left.forEach(RestorationTest::delete);
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  @DisplayName("A journal that cannot be read: nothing is granted, the message and doctor name it, views still work")
  void unreadableJournal() throws IOException {
    Lease held = files.granted(ANNA);
    files.close();
    Path journal = locks.resolve(".journal");
    delete(journal);
    Files.createDirectory(journal);

    assertThatThrownBy(() -> files.store().acquire(TestRequest.by("req_new", "new").request()))
        .isInstanceOf(StorageException.class).hasMessageContaining(journal.toString());
    requireHeld(held, files.store().view(PROD).leaseState());
    assertThat(new DirectoryCheck(locks, true, files.time(), _ -> {}).examine())
        .contains(Finding.fail("lock journal", journal + " cannot be read: no lock can be acquired",
            "correct its owner and mode; or move it away, which loses any lock that only the journal still has"));
  }

  @Test
  @DisplayName("A record of a newer version: nothing is granted, and the message says which version to use")
  void recordOfANewerVersion() throws IOException {
    files.granted(ANNA);
    String line = Files.readString(locks.resolve(".journal")).lines().filter(it -> it.contains("\"prod\"")).findFirst()
        .orElseThrow();
    assertThat(line).matches("[0-9a-f]{8} \\{\"lock\":\"prod\",\"token\":1,.*");
    CRC32C checksum = new CRC32C();
    String newer = "{\"lock\":\"prod\",\"tokens\":[1,2]}";
    checksum.update(newer.getBytes(StandardCharsets.UTF_8));
    reboot();
    Files.writeString(locks.resolve(".journal"), "\n%08x %s\n".formatted(checksum.getValue(), newer),
        StandardOpenOption.APPEND);
    assertThatThrownBy(() -> files.store().acquire(BERT.request())).isInstanceOf(StorageException.class)
        .hasMessageContaining("use the version that wrote it");
  }

  @Test
  @DisplayName("The journal belongs to its owner alone; doctor finds nothing wrong with it")
  void modes() throws IOException {
    files.granted(ANNA);
    assertThat(Files.getPosixFilePermissions(locks.resolve(".journal")))
        .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    files.time().advance(Duration.ofHours(1));
    reboot();
    files.granted(TestRequest.by("req_new", "new"));
    assertThat(new DirectoryCheck(locks, true, files.time(), _ -> {}).examine())
        .filteredOn(finding -> finding.check().startsWith("lock files") || finding.check().equals("lock journal"))
        .containsExactly(Finding.ok("lock files", "no orphaned or damaged files"));
  }

  @Test
  @DisplayName("Reading a directory without a journal does not create one")
  void looksCreateNothing() {
    files.put("prod", LockTexts.of("prod", "req_other", "2025-12-18T10:30:10Z"));
    List<String> before = files.everything();
    files.store().list();
    files.store().view(PROD);
    assertThat(files.store().acquire(ANNA.request())).isInstanceOf(AcquireOutcome.Refused.class);
    assertThat(files.everything()).isEqualTo(before);
  }

  @Test
  @DisplayName("A move interrupted by a power cut reads restored locks, even while it blocks every change")
  void moves() throws IOException {
    files.granted(ANNA);
    files.granted(TestRequest.by("req_bert", "other"));
    files.close();
    Path mark = Files.writeString(temp.resolve("moved"), "a move");
    for (boolean isStopped : List.of(false, true)) {
      try (MovingLocks source = new FileLocks(locks, true, files.time(), SystemTime.scheduler(), files.audit(), _ -> {})
          .source(mark, RecordedFiles.NONE)) {
        if (isStopped) {
          source.stopChanges();
        }
        PowerCut.reboot(locks);
        PowerCut.loseAll(locks);
        assertThat(source.read()).extracting(lock -> lock.name() + " " + lock.counter() + " " + lock.state().getClass()
            .getSimpleName()).containsExactly("other 1 Held", "prod 1 Held");
      }
    }
    assertThat(Files.getPosixFilePermissions(locks)).isEqualTo(PosixFilePermissions.fromString("r-x------"));
  }

  private LockStore tapped(TappedDirectory.Tap tap) {
    return FileStores.on(new TappedDirectory(files.nio(true), tap), files.time());
  }
}
