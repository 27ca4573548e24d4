package fleet.tower.lock.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.lease.FencingToken;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseState;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.FreezeStore.FreezeOutcome;
import fleet.tower.lock.FreezeStore.UnfreezeOutcome;
import fleet.tower.lock.LockStore;
import fleet.tower.lock.TestRequest;
import fleet.tower.platform.Finding;
import fleet.tower.platform.StorageException;

@DisplayName("The files of names that are not used any more are removed, and their tokens continue to grow")
class RetirementTest {
  private static final Duration MONTH = Duration.ofDays(30);
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final LeaseName PROD = new LeaseName("prod");
  private static final LeaseName OTHER = new LeaseName("other");

  @AutoClose
  private final FileFixture files;

  RetirementTest(@TempDir(factory = InMemoryDirectory.class) Path temp) {
    files = new FileFixture(temp.resolve("locks"));
  }

  /** Takes and releases a lock some times; returns the last token. */
  private FencingToken use(LeaseName name, int times) {
    FencingToken last = FencingToken.NONE;
    for (int i = 0; i < times; i++) {
      Lease held = files.granted(TestRequest.by("req_" + i, name.value()));
      files.store().release(name, held.owner(), held.token());
      last = held.token();
    }
    files.used(name.value());
    return last;
  }

  private FencingToken next(LeaseName name) {
    Lease held = files.granted(TestRequest.by("req_next", name.value()));
    files.store().release(name, held.owner(), held.token());
    return held.token();
  }

  private void write(String file, String content) {
    FileFixture.write(files.directory().resolve(file), content.getBytes(StandardCharsets.US_ASCII));
  }

  private void reboot() {
    files.close();
    PowerCut.reboot(files.directory());
  }

  @Test
  @DisplayName("No file of a forgotten name is left, and its next token is greater than all it had")
  void forgets() {
    FencingToken last = use(PROD, 3);
    write(".tmp-prod", "{");
    write(".tmp-prod.fence.new", "");
    write(".prod.spare", "{}");
    files.time().advance(MONTH);
    assertThat(files.store().unused(MONTH, 10)).containsExactly(PROD);

    assertThat(files.store().forget(PROD, MONTH)).isTrue();

    assertThat(files.names()).containsExactly(".floor", ".guard", ".journal");
    assertThat(files.directory().resolve(".floor")).hasContent("000000000000000003\n");
    assertThat(files.store().unused(MONTH, 10)).isEmpty();
    assertThat(files.store().forget(PROD, MONTH)).isFalse();
    assertThat(next(PROD)).isEqualTo(last.next());
    assertThat(next(PROD)).isEqualTo(last.next().next());
    assertThat(next(OTHER)).isEqualTo(last.next());
  }

  @Test
  @DisplayName("The floor only grows, and is the greatest of all counters that were removed")
  void keepsTheGreatest() {
    use(PROD, 5);
    use(OTHER, 2);
    files.time().advance(MONTH);
    assertThat(files.store().forget(PROD, MONTH)).isTrue();
    assertThat(files.store().forget(OTHER, MONTH)).isTrue();
    assertThat(next(OTHER)).isEqualTo(new FencingToken(6));
  }

  @Test
  @DisplayName("700 names shrink to three files")
  void many() {
    List<LeaseName> names = IntStream.range(0, 700).mapToObj(i -> new LeaseName("ci-" + i)).toList();
    names.forEach(name -> use(name, 1));
    assertThat(files.names()).hasSizeGreaterThan(1400);
    files.time().advance(MONTH);
    assertThat(files.store().unused(MONTH, 500)).hasSize(500);

    files.store().unused(MONTH, 1000).forEach(name -> assertThat(files.store().forget(name, MONTH)).isTrue());

    assertThat(files.names()).containsExactly(".floor", ".guard", ".journal");
    assertThat(next(names.getFirst())).isEqualTo(new FencingToken(2));
  }

  @Test
  @DisplayName("A name is unused since its last grant or heartbeat, whichever is later, and not a second too early")
  void age() throws IOException {
    use(PROD, 1);
    Path fence = files.directory().resolve(".prod.fence");
    Files.setLastModifiedTime(fence, FileTime.from(files.time().now().minus(MONTH)));
    files.time().advance(MONTH.minus(SECOND));
    assertThat(files.store().unused(MONTH, 10)).isEmpty();
    assertThat(files.store().forget(PROD, MONTH)).isFalse();
    files.time().advance(SECOND);
    assertThat(files.store().unused(MONTH, 10)).containsExactly(PROD);

    files.granted(TestRequest.by("req_again", "prod"));
    files.store().release(PROD, TestRequest.owner(new RequestId("req_again")), FencingToken.NONE);
    assertThat(files.store().forget(PROD, MONTH)).as("the times of the files are ahead").isFalse();
  }

  @Test
  @DisplayName("A step of the wall clock ahead does not make a name old that was used on this boot")
  void clockStep() {
    use(PROD, 1);
    files.time().stepWallClock(Duration.ofDays(4000));
    assertThat(files.store().forget(PROD, MONTH)).isFalse();
    files.time().advance(MONTH.minus(SECOND));
    assertThat(files.store().forget(PROD, MONTH)).isFalse();
    files.time().advance(SECOND);
    assertThat(files.store().forget(PROD, MONTH)).isTrue();
  }

  @Test
  @DisplayName("A step of the wall clock back only delays; on another boot, the times of the files decide")
  void otherBoot() {
    use(PROD, 1);
    files.time().reboot("boot-2");
    files.time().stepWallClock(Duration.ofDays(-4000));
    assertThat(files.store().forget(PROD, MONTH)).isFalse();
    files.time().stepWallClock(Duration.ofDays(4000).plus(MONTH));
    assertThat(files.store().forget(PROD, MONTH)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"active", "stale", "corrupt", "foreign", "frozen", "freeze over", "freeze unreadable"})
  @DisplayName("A name with a lock or a freeze keeps its files, in whatever state that is")
  void keepsUsedNames(String use) {
    use(PROD, 1);
    files.time().advance(MONTH);
    switch (use) {
      case "active", "stale" -> files.granted(TestRequest.by("req_held", "prod"));
      case "corrupt" -> files.put("prod", "{\"lock_ver");
      case "foreign" -> files.put("prod", LockTexts.of("prod", "req_other", "2025-12-18T10:30:10Z"));
      case "freeze unreadable" -> write(".prod.freeze", "");
      default -> assertThat(files.store().freeze(StoreCall.FREEZING)).isInstanceOf(FreezeOutcome.Frozen.class);
    }
    files.used("prod");
    files.time().advance(use.equals("active") || use.equals("frozen") ? SECOND : MONTH);
    List<String> before = files.everything();

    assertThat(files.store().unused(Duration.ZERO, 10)).isEmpty();
    assertThat(files.store().forget(PROD, Duration.ZERO)).isFalse();

    assertThat(files.everything()).isEqualTo(before);
    if (before.toString().contains(".prod.freeze")) {
      assertThat(files.store().unfreeze(PROD)).isInstanceOfAny(UnfreezeOutcome.Unfrozen.class,
          UnfreezeOutcome.NotFrozen.class);
      assertThat(files.store().forget(PROD, Duration.ZERO)).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "seven\n", "000000001000000000000\n", "001000000000000\n"})
  @DisplayName("A damaged counter, and one that no counting has reached, stays")
  void keepsOddCounters(String content) {
    use(PROD, 1);
    write(".prod.fence", content);
    files.used("prod");
    files.time().advance(MONTH);

    assertThat(files.store().unused(MONTH, 10)).isEmpty();
    assertThat(files.store().forget(PROD, MONTH)).isFalse();
    assertThat(files.names()).contains(".prod.fence").doesNotContain(".floor");
  }

  @Test
  @DisplayName("The floor is on disk before anything is removed, and the counter is removed last")
  void order() {
    use(PROD, 1);
    files.time().advance(MONTH);
    List<String> calls = new ArrayList<>();
    try (LockStore watched = FileStores.on(
        new TappedDirectory(files.nio(true), call -> calls.add(call.operation() + " " + call.file())), files.time())) {
      assertThat(watched.forget(PROD, MONTH)).isTrue();
    }
    assertThat(calls).filteredOn(call -> !call.startsWith("has ") && !call.startsWith("read "))
        .containsExactly("enter .guard", "enter .guard", "create .tmp-floor.new", "rename .floor", "sync .",
            "leave .guard", "unlink .prod.beat", "unlink .prod.fence", "leave .guard");
  }

  @Test
  @DisplayName("Only a name without a counter reads the floor, once")
  void costsKnownNamesNothing() {
    use(PROD, 1);
    List<String> calls = new ArrayList<>();
    try (LockStore watched = FileStores.on(
        new TappedDirectory(files.nio(true), call -> calls.add(call.operation() + " " + call.file())), files.time())) {
      watched.acquire(TestRequest.by("req_a", "prod").request());
      assertThat(calls).filteredOn(call -> call.contains("floor")).isEmpty();
      watched.acquire(TestRequest.by("req_a", "new").request());
      assertThat(calls).filteredOn(call -> call.contains("floor")).containsExactly("read .floor");
    }
  }

  @Test
  @DisplayName("After a boot, no counter that was removed is back, unless a power cut has brought an old one back")
  void reboots() {
    use(PROD, 5);
    files.time().advance(MONTH);
    files.store().forget(PROD, MONTH);
    reboot();
    use(OTHER, 1);
    assertThat(files.names()).doesNotContain(".prod.fence");
    reboot();
    assertThat(next(PROD)).isEqualTo(new FencingToken(6));

    files.used("prod");
    files.time().advance(MONTH);
    files.store().forget(PROD, MONTH);
    reboot();
    write(".prod.fence", "000000000000000002\n");
    assertThat(next(PROD)).isEqualTo(new FencingToken(7));
  }

  @Test
  @DisplayName("A power cut that takes the floor's name leaves the tokens in the journal")
  void floorLost() throws IOException {
    use(PROD, 5);
    files.time().advance(MONTH);
    files.store().forget(PROD, MONTH);
    reboot();
    Files.delete(files.directory().resolve(".floor"));
    assertThat(next(PROD)).isEqualTo(new FencingToken(6));
  }

  @Test
  @DisplayName("The floor is no token of a name: a script's lock with a lower one, and the next one, are not over")
  void locksOfScripts() {
    write(".floor", "000000000000000100\n");
    String lock = LockTexts.of("prod", "req_other", "2025-12-18T10:30:10Z");
    files.put("prod", lock.replace("{}", "{\"fencing_token\": 41}"));
    use(OTHER, 1);
    reboot();
    String next = lock.replace("{}", "{\"fencing_token\": 50}");
    files.put("prod", next);
    use(OTHER, 1);

    assertThat(files.text("prod")).isEqualTo(next);
    assertThat(files.store().view(PROD).leaseState()).isInstanceOf(LeaseState.Held.class);
    files.store().release(PROD, TestRequest.owner(new RequestId("req_other")), FencingToken.NONE);
    assertThat(next(PROD)).isEqualTo(new FencingToken(101));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "floor\n", "000000000000000001\n2\n", "999999999999999999\n"})
  @DisplayName("A damaged floor refuses new names and says what to do; known names are used, and nothing is forgotten "
      + "without it")
  void damaged(String content) {
    use(PROD, 1);
    write(".floor", content);
    Path floor = files.directory().resolve(".floor");

    assertThatThrownBy(() -> files.granted(TestRequest.by("req_new", "new"))).isInstanceOf(StorageException.class)
        .hasMessage("the floor of the fencing counters is damaged: " + floor + " must contain one number, not below "
            + "any fencing token issued for a name without a .fence file; correct it by hand");
    assertThat(files.names()).doesNotContain("new.lock", ".new.fence");
    assertThat(use(PROD, 1)).isEqualTo(new FencingToken(2));
    files.time().advance(MONTH);
    assertThatThrownBy(() -> files.store().forget(PROD, MONTH)).isInstanceOf(StorageException.class);
    assertThat(files.names()).contains(".prod.fence", ".prod.beat");
    assertThat(new DirectoryCheck(files.directory(), true, files.time(), _ -> {}).examine())
        .contains(Finding.fail("fence floor", floor + " is damaged: no lock with a new name can be acquired",
            "write one number into it, not below any fencing token issued for a name without a .fence file"));

    write(".floor", "7\n");
    assertThat(next(new LeaseName("new"))).isEqualTo(new FencingToken(8));
    assertThat(files.store().forget(PROD, MONTH)).isTrue();
  }

  @Test
  @DisplayName("Doctor counts the names that are unused")
  void doctor() {
    DirectoryCheck check = new DirectoryCheck(files.directory(), true, files.time(), _ -> {});
    files.granted(TestRequest.by("req_a", "prod"));
    assertThat(check.examine()).extracting(Finding::check).doesNotContain("lock names");
    use(OTHER, 1);
    assertThat(check.examine())
        .contains(Finding.ok("lock names", "1 of 2 names with a fencing counter are unused"));
  }

  @Test
  @DisplayName("Asking for unused names creates and changes nothing")
  void looks() {
    assertThat(files.store().unused(Duration.ZERO, 10)).isEmpty();
    assertThat(files.directory()).doesNotExist();
    use(PROD, 1);
    List<String> before = files.everything();
    assertThat(files.store().unused(Duration.ZERO, 10)).hasSize(1);
    assertThat(files.everything()).isEqualTo(before);
  }
}
