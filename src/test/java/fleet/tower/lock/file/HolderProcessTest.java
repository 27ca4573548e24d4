package fleet.tower.lock.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.LineProcess;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.LockStore;
import fleet.tower.lock.RecordedAudit;
import fleet.tower.lock.TestRequest;
import fleet.tower.platform.time.BootStamp;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.platform.time.TimeSource;

@DisplayName("A holder in its own process that is suspended, killed, or loses its disk")
class HolderProcessTest {
  @TempDir
  private Path temp = Path.of("not-yet");

  /** The machine's clocks some seconds ahead, so that no test has to wait for a ttl. */
  private record Later(TimeSource real, Duration by) implements TimeSource {
    @Override
    public Instant now() {
      return real.now().plus(by);
    }

    @Override
    public long nanos() {
      return real.nanos() + by.toNanos();
    }

    @Override
    public @Nullable BootStamp boot() {
      BootStamp stamp = real.boot();
      return stamp == null ? null : new BootStamp(stamp.bootId(), stamp.millis() + by.toMillis());
    }
  }

  private LineProcess holder() {
    return new LineProcess(ChildJvm.command(HolderMain.class, List.of(temp.resolve("locks").toString())));
  }

  private LockStore later() {
    return new FileLocks(temp.resolve("locks"), true, new Later(SystemTime.source(), Duration.ofSeconds(5)),
        SystemTime.scheduler(), new RecordedAudit(), _ -> {}).open();
  }

  private byte[] lock() throws IOException {
    return Files.readAllBytes(temp.resolve("locks/prod.lock"));
  }

  @Test
  @DisplayName("T4 TF-B3 TF-B6 suspended beyond its ttl and superseded, it detects this and neither renews nor removes "
      + "a byte")
  @ProofsProfile
  void isStoppedAndOvertaken() throws IOException {
    try (LineProcess holder = holder(); LockStore thief = later()) {
      assertThat(holder.ask("acquire")).isEqualTo("Granted");
      assertThat(thief.acquire(TestRequest.by("req_early", "prod").request()))
          .isInstanceOf(AcquireOutcome.Refused.class);
      ChildJvm.signal(holder.process(), "STOP");
      AcquireOutcome outcome = thief.acquire(TestRequest.by("req_thief", "prod").withForce().request());
      assertThat(outcome).isInstanceOf(AcquireOutcome.Granted.class);
      byte[] theirs = lock();
      ChildJvm.signal(holder.process(), "CONT");

      assertThat(holder.ask("renew")).isEqualTo("Taken");
      assertThat(lock()).isEqualTo(theirs);
      assertThat(holder.ask("release")).isEqualTo("NotOwner");
      assertThat(lock()).isEqualTo(theirs);
      assertThat(holder.end()).satisfiesExactly(acquired -> assertThat(acquired).startsWith("audit LockAcquired"),
          actor -> assertThat(actor).startsWith("audit LockActor").contains("of=lock_acquired"));
    }
  }

  @Test
  @DisplayName("TF-1.2 killed with SIGKILL: blocked until its ttl has passed, then stolen by force")
  void isKilled() {
    try (LineProcess holder = holder(); LockStore thief = later()) {
      assertThat(holder.ask("acquire")).isEqualTo("Granted");
      holder.process().destroyForcibly();
      ChildJvm.exitCode(holder.process());

      assertThat(thief.acquire(TestRequest.by("req_thief", "prod").request()))
          .isInstanceOf(AcquireOutcome.Refused.class);
      assertThat(thief.acquire(TestRequest.by("req_thief", "prod").withForce().request()))
          .isInstanceOf(AcquireOutcome.Granted.class);
    }
  }

  @Test
  @DisplayName("TF-8.3 TF-B7 a directory that became immutable: the release fails with the errno, and is audited")
  void cannotRemove() throws IOException, InterruptedException {
    Path locks = temp.resolve("locks");
    try (LineProcess holder = holder()) {
      assertThat(holder.ask("acquire")).isEqualTo("Granted");
      Assumptions.assumeTrue(run("chattr", "+i", locks.toString()) == 0, "chattr +i does not work here");
      try {
        assertThat(holder.ask("release")).isEqualTo("Failed EPERM: operation not permitted");
        assertThat(holder.ask("acquire another")).startsWith("StorageException lock another: EPERM");
      } finally {
        run("chattr", "-i", locks.toString());
      }
      assertThat(lock()).isNotEmpty();
      assertThat(holder.ask("release")).isEqualTo("Released");
      assertThat(holder.end()).hasSize(6).element(2).asString().startsWith("audit LockReleaseFailed")
          .contains("error=EPERM: operation not permitted", "lockPath=" + locks.resolve("prod.lock"));
    }
  }

  @Test
  @DisplayName("TF-8.3 a new process on a read-only disk: the release fails with EROFS, and is audited")
  @ProofsProfile
  void releasesOnAReadOnlyDisk() throws IOException, InterruptedException {
    Path locks = temp.resolve("locks");
    try (LineProcess first = holder()) {
      assertThat(first.ask("acquire")).isEqualTo("Granted");
      first.end();
    }
    try (LineProcess holder = inNamespace("mount --bind $1 $1 && mount -o remount,ro,bind $1 $1", locks)) {
      assertThat(holder.ask("release")).isEqualTo("Failed EROFS: read-only file system");
      assertThat(holder.end()).satisfiesExactly(
          failed -> assertThat(failed).startsWith("audit LockReleaseFailed")
              .contains("error=EROFS: read-only file system"),
          actor -> assertThat(actor).startsWith("audit LockActor").contains("of=lock_release_failed"));
    }
    assertThat(lock()).isNotEmpty();
  }

  @Test
  @DisplayName("TF-8.1 disk full: a held lock can be released, even if not renewed; an acquire fails and leaves "
      + "nothing")
  void fillsTheDisk() throws IOException, InterruptedException {
    Path locks = Files.createDirectories(temp.resolve("locks"));
    String mount = "mount -t tmpfs -o size=64k,mode=700 tmpfs $1";
    try (LineProcess holder = inNamespace(mount, locks)) {
      Path inside = Path.of("/proc/" + holder.process().pid() + "/root" + locks);
      assertThat(holder.ask("acquire")).isEqualTo("Granted");
      fill(inside.resolve("ballast"));
      List<String> before = new FileFixture(inside).everything();

      assertThat(holder.ask("acquire another"))
          .isEqualTo("StorageException lock another: ENOSPC: no space left on device");
      assertThat(new FileFixture(inside).everything()).isEqualTo(before);
      assertThat(holder.ask("renew")).startsWith("StorageException lock prod: ENOSPC");
      assertThat(new FileFixture(inside).names()).contains("prod.lock").noneMatch(name -> name.startsWith(".tmp-"));
      assertThat(holder.ask("release")).isEqualTo("Released");
      assertThat(inside.resolve("prod.lock")).doesNotExist();
      Files.delete(inside.resolve("ballast"));
      assertThat(holder.ask("acquire another")).isEqualTo("Granted");
    }
  }

  private static void fill(Path ballast) throws IOException {
    try (var out = Files.newOutputStream(ballast)) {
      for (int page = 0; page < 64; page++) {
        out.write(new byte[1024]);
      }
      throw new AssertionError("the disk is larger than it should be");
    } catch (IOException full) {
      assertThat(full).hasMessageContaining("No space left on device");
    }
  }

  /** The holder in a mount namespace of its own, which ends with it. */
  private static LineProcess inNamespace(String mount, Path locks) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    for (List<String> unshare : List.of(List.of("unshare", "-m"), List.of("unshare", "-Urm"))) {
      if (command.isEmpty() && run(with(unshare, "sh", "-c", mount, "sh", locks.toString())) == 0) {
        command.addAll(List.of(with(unshare, "sh", "-c", mount + "; shift; exec \"$@\"", "sh", locks.toString())));
      }
    }
    Assumptions.assumeFalse(command.isEmpty(), "no mount namespace can be made here");
    command.addAll(ChildJvm.command(HolderMain.class, List.of(locks.toString())));
    return new LineProcess(command);
  }

  private static String[] with(List<String> first, String... rest) {
    List<String> all = new ArrayList<>(first);
    all.addAll(List.of(rest));
    return all.toArray(String[]::new);
  }

  private static int run(String... command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getInputStream().readAllBytes();
    return ChildJvm.exitCode(process);
  }
}
