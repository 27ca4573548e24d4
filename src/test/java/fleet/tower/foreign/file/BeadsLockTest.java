package fleet.tower.foreign.file;

import static fleet.tower.lease.Actors.ORIGIN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.foreign.ForeignLock;
import fleet.tower.foreign.ForeignLockState;
import fleet.tower.foreign.ForeignName;
import fleet.tower.harness.Await;
import fleet.tower.lease.RequestId;

@DisplayName("The exclusive lock of a beads database, with processes that live, exit and are killed")
class BeadsLockTest {
  private final Path directory;
  private final Path file;
  private final ForeignName name;
  private final ForeignLock lock;

  BeadsLockTest(@TempDir Path home) throws IOException {
    directory = Files.createDirectory(home.resolve(".beads"));
    file = directory.resolve(".exclusive-lock");
    name = new ForeignName(ForeignName.Kind.BEADS, directory.toString());
    lock = Tools.open(name.toString());
  }

  private static boolean isHeld(ForeignLockState verdict) {
    return verdict instanceof ForeignLockState.Held;
  }

  @Test
  @DisplayName("BD-3 row 7 BD-B1 T17 a lock whose holder was really killed is removed, and work "
      + "proceeds; a query changes nothing")
  void removesStale() {
    Tools.write(file, Tools.exclusiveLock("vc-executor", Tools.killed(), Tools.hostname()));

    assertThat(lock.state()).isInstanceOf(ForeignLockState.Stale.class);
    assertThat(file).exists();
    assertThat(lock.check()).isInstanceOfSatisfying(ForeignLockState.Cleared.class,
        cleared -> assertThat(cleared.occupant().holder()).isEqualTo("vc-executor"));
    assertThat(Tools.list(directory)).isEmpty();
    assertThat(lock.check()).isEqualTo(new ForeignLockState.Free());
  }

  @Test
  @DisplayName("BD-3 row 6 a lock lasts as long as its holder lives; BD-2 a later check returns the later state")
  void respectsTheLiving() {
    Process holder = Tools.start("sleep", "600");
    try {
      Tools.write(file,
          Tools.exclusiveLock("ci-runner", holder.pid(), Tools.hostname().toUpperCase(java.util.Locale.ROOT)));
      assertThat(lock.check()).matches(BeadsLockTest::isHeld);
      assertThat(lock.hold(Tools.claim("r1"))).isInstanceOf(ForeignLock.Hold.Refused.class);
    } finally {
      holder.destroyForcibly();
    }
    Await.until("its end", () -> !holder.isAlive());
    assertThat(lock.check()).isInstanceOf(ForeignLockState.Cleared.class);
  }

  @Test
  @DisplayName("BD-3 row 6 BD-B9 a process of another user, which may not be signalled (EPERM), is alive")
  void anotherUsers() throws IOException {
    assumeTrue(Tools.exit("sh", "-c", "[ $(id -u) = 0 ] && command -v setpriv") == 0);
    Files.setPosixFilePermissions(directory.getParent(), PosixFilePermissions.fromString("rwxr-xr-x"));
    Tools.write(file, Tools.exclusiveLock("roots-tool", ProcessHandle.current().pid(), Tools.hostname()));

    assertThat(Tools.out(VerdictMain.asNobody(name))).startsWith("held by roots-tool (pid ");
    assertThat(file).exists();
  }

  @Test
  @DisplayName("BD-3 row 8 a stale lock that cannot be removed is skipped, with its holder and the reason")
  void cannotRemove() throws IOException {
    assumeTrue(Tools.exit("sh", "-c", "[ $(id -u) = 0 ] && command -v setpriv") == 0);
    Files.setPosixFilePermissions(directory.getParent(), PosixFilePermissions.fromString("rwxr-xr-x"));
    Tools.write(file, Tools.exclusiveLock("vc-executor", Tools.killed(), Tools.hostname()));

    assertThat(Tools.out(VerdictMain.asNobody(name)))
        .isEqualTo("in doubt, which counts as held: failed to remove stale lock: EACCES: permission denied");
    assertThat(file).exists();
  }

  @Test
  @DisplayName("BD-3 row 2 a directory, a pipe, a dangling link, 10 MB or a missing directory neither hang nor "
      + "count as free")
  void unfit() throws IOException {
    Files.createDirectory(file);
    assertDoubtful("EISDIR: is a directory");
    Files.delete(file);
    assertThat(Tools.exit("mkfifo", file.toString())).isZero();
    assertDoubtful("a pipe or device, not a regular file");
    Files.delete(file);
    Files.createSymbolicLink(file, directory.resolve("nothing"));
    assertDoubtful("a dangling link");
    Files.delete(file);
    Files.write(file, new byte[10_000_000]);
    assertDoubtful("10000000 bytes long; the limit is 65536");
    Files.delete(file);
    Files.delete(directory);
    assertDoubtful("directory " + directory + " does not exist");
    Files.createFile(directory);
    assertDoubtful(directory + " is not a directory");
  }

  private void assertDoubtful(String problem) {
    assertThat(lock.check()).isEqualTo(new ForeignLockState.Doubtful("failed to read lock file: " + problem, null));
    assertThat(lock.hold(Tools.claim("r1"))).isInstanceOf(ForeignLock.Hold.Refused.class);
  }

  @Test
  @DisplayName("BD-1 BD-7 the Tower's lock is valid for every reader of the document; its release leaves nothing")
  void holds() throws IOException {
    ForeignLock.Hold hold = Tools.granted(lock.hold(Tools.claim("r1")));

    assertThat(Tools.text(file)).matches("\\{\\n  \"holder\": \"tower/test\",\\n  \"pid\": "
        + ProcessHandle.current().pid()
        + ",\\n  \"hostname\": \"" + Tools.hostname()
        + "\",\\n  \"started_at\": \"\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ\","
        + "\\n  \"version\": \"1.0.0\",\\n  \"process\": \"[0-9a-f-]{36}/\\d+/\\d+\",\\n  \"request_id\": \"r1\"\\n}\\n");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file))).startsWith("rw-r");
    assertThat(Tools.list(directory)).containsExactly(".exclusive-lock");
    assertThat(lock.check()).matches(BeadsLockTest::isHeld);
    assertThat(hold.release()).isEqualTo(new ForeignLock.Hold.Released());
    assertThat(hold.release()).isEqualTo(new ForeignLock.Hold.Absent());
    assertThat(Tools.list(directory)).isEmpty();
  }

  @Test
  @DisplayName("BD-6 BD-B4 no lock is overwritten, not even one of this process; its owner gets it again on repetition")
  void excludesTools() {
    ForeignLock.Hold hold = Tools.granted(lock.hold(Tools.claim("r1")));

    assertThat(lock.hold(Tools.claim("r2"))).isInstanceOfSatisfying(ForeignLock.Hold.Refused.class,
        refused -> assertThat(refused.why()).isInstanceOf(ForeignLockState.Held.class));
    assertThat(lock.hold(Tools.claim("r1"))).isInstanceOfSatisfying(ForeignLock.Hold.Granted.class,
        granted -> assertThat(granted.already()).isTrue());
    assertThat(lock.heldBy(Tools.claim("r1"))).isPresent();
    assertThat(lock.heldBy(Tools.claim("r2"))).isEmpty();
    hold.release();
    Tools.granted(lock.hold(Tools.claim("r2"))).release();
  }

  @Test
  @DisplayName("BD-B4 a lock that another tool wrote over the Tower's is not touched by the release")
  void releasesOnlyOurs() {
    ForeignLock.Hold hold = Tools.granted(lock.hold(Tools.claim("r1")));
    String theirs = Tools.exclusiveLock("other-tool", ProcessHandle.current().pid(), Tools.hostname());
    Tools.write(file, theirs);

    assertThat(hold.release()).isInstanceOfSatisfying(ForeignLock.Hold.NotOurs.class, taken -> assertThat(taken.now())
        .isInstanceOfSatisfying(ForeignLockState.Held.class,
            held -> assertThat(held.occupant().holder()).isEqualTo("other-tool")));
    assertThat(Tools.text(file)).isEqualTo(theirs);
    Tools.write(file, "");
    assertThat(hold.release()).isInstanceOf(ForeignLock.Hold.NotOurs.class);
    assertThat(file).exists();
  }

  @Test
  @DisplayName("BD-B6 a Tower lock whose process number was reused is stale; another tool's is not")
  void recycled() {
    Tools.granted(lock.hold(Tools.claim("r1")));
    String ours = Tools.text(file);
    Tools.write(file, ours.replaceFirst("/(\\d+)\",\n", "/1\",\n"));

    assertThat(lock.state()).isInstanceOf(ForeignLockState.Stale.class);
    ForeignLock.Hold.Outcome outcome = lock.hold(Tools.claim("r2"));
    assertThat(outcome).isInstanceOfSatisfying(ForeignLock.Hold.Granted.class, granted -> {
      assertThat(granted.previous()).isNotNull();
      assertThat(granted.hold().release()).isEqualTo(new ForeignLock.Hold.Released());
    });
    Tools.write(file, ours.replaceFirst("  \"process\": .*\n", ""));
    assertThat(lock.hold(Tools.claim("r3"))).isInstanceOf(ForeignLock.Hold.Refused.class);
  }

  @Test
  @DisplayName("BD-3 an exited, unreaped process is dead if it was a Tower process, and otherwise alive by the "
      + "document's rule")
  void ended() throws IOException {
    // The child ends only when its parent has become a program that does not reap it.
    Process parent = Tools.start("bash", "-c",
        "until [ \"$(cat /proc/$$/comm)\" = sleep ]; do :; done & echo $!; exec sleep 600");
    try {
      long child = Long.parseLong(parent.inputReader().readLine());
      Await.until("a zombie", () -> Tools.text(Path.of("/proc/" + child + "/stat")).contains(") Z "));
      Tools.write(file, Tools.exclusiveLock("vc-executor", child, Tools.hostname()));
      assertThat(lock.state()).matches(BeadsLockTest::isHeld);
      Files.delete(file);
      Tools.granted(lock.hold(new ForeignLock.Claim(new RequestId("r1"), "script", "", child, null, ORIGIN)));
      assertThat(lock.state()).isInstanceOf(ForeignLockState.Stale.class);
    } finally {
      parent.destroyForcibly();
    }
  }

  @Test
  @DisplayName("A lock for a process that does not exist is not acquired")
  void forTheDead() {
    assertThat(lock.hold(new ForeignLock.Claim(new RequestId("r1"), "script", "", Tools.killed(), null, ORIGIN)))
        .isInstanceOf(ForeignLock.Hold.Refused.class);
    assertThat(Tools.list(directory)).isEmpty();
  }

  @Test
  @DisplayName("A file that a killed remover left aside goes back; an unfinished new one is removed")
  void recovers() {
    String theirs = Tools.exclusiveLock("other-tool", ProcessHandle.current().pid(), Tools.hostname());
    Tools.write(directory.resolve(".exclusive-lock.tower-0a.old"), theirs);
    Tools.write(directory.resolve(".exclusive-lock.tower-0b.new"), "{");
    Tools.write(directory.resolve(".exclusive-lock.bak"), "not ours");

    assertThat(lock.hold(Tools.claim("r1"))).isInstanceOfSatisfying(ForeignLock.Hold.Refused.class,
        refused -> assertThat(refused.why())
            .isInstanceOf(ForeignLockState.Held.class));
    assertThat(Tools.text(file)).isEqualTo(theirs);
    assertThat(Tools.list(directory)).containsExactly(".exclusive-lock", ".exclusive-lock.bak");
  }
}
