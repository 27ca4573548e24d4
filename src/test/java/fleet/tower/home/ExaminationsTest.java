package fleet.tower.home;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.access.file.AccessFiles;
import fleet.tower.audit.jsonl.AuditFiles;
import fleet.tower.intent.CatalogueExamination;
import fleet.tower.intent.yaml.IntentFiles;
import fleet.tower.lease.Holder;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.lock.HolderProbe;
import fleet.tower.lock.LockStore;
import fleet.tower.lock.LocksExamination;
import fleet.tower.lock.TestRequest;
import fleet.tower.lock.file.FileLocks;
import fleet.tower.lock.queue.file.WaitQueueFiles;
import fleet.tower.platform.Examination;
import fleet.tower.platform.Finding;
import fleet.tower.platform.Finding.Severity;
import fleet.tower.platform.Presence;
import fleet.tower.platform.disk.ProcessFiles;
import fleet.tower.platform.time.ManualTime;
import fleet.tower.platform.time.Timestamps;
import fleet.tower.run.process.StepProcesses;

/** The health checks of the directories of locks and of the audit log. */
class ExaminationsTest {
  private final ManualTime time = new ManualTime();
  private final Path locks;
  private final Path audit;
  private final FileLocks files;

  ExaminationsTest(@TempDir Path home) {
    locks = home.resolve("locks");
    audit = home.resolve("audit");
    files = new FileLocks(locks, true, time, time, _ -> true, _ -> {});
  }

  private void makeLocks(String mode) throws IOException {
    Files.createDirectories(locks);
    Files.setPosixFilePermissions(locks, PosixFilePermissions.fromString(mode));
  }

  /** The findings on the directory but for the one on the disk, which may be of any kind. */
  private List<Finding> directory() {
    return files.examination().examine().stream()
        .filter(finding -> !finding.check().equals("lock directory file system")).toList();
  }

  private List<Finding> audit() {
    return new AuditFiles(audit, time, _ -> {}).examination().examine();
  }

  @Test
  @DisplayName("A missing lock directory is ok, and is not created")
  void noDirectory() {
    assertThat(files.examination().examine()).containsExactly(
        Finding.ok("lock directory", locks + " does not exist yet; the first lock creates it"));
    assertThat(locks).doesNotExist();
  }

  @Test
  @DisplayName("TF-12.1 an own lock directory with mode 700 is ok; open to others is a warning, world-writable "
      + "a failure")
  void modes() throws Exception {
    makeLocks("rwx------");
    assertThat(directory()).containsExactly(Finding.ok("lock directory owner", locks + " is ours"),
        Finding.ok("lock directory mode", "rwx------"),
        Finding.ok("lock files", "no orphaned or damaged files"));
    makeLocks("rwxr-x---");
    assertThat(directory())
        .contains(Finding.warn("lock directory mode", locks + " is accessible to other users (rwxr-x---)",
            "chmod 700 " + locks));
    makeLocks("r-x------");
    assertThat(directory()).contains(Finding.warn("lock directory mode",
        locks + " denies its owner some permissions (r-x------)", "chmod 700 " + locks));
    makeLocks("rwx----w-");
    assertThat(directory()).contains(Finding.fail("lock directory mode", locks + " is world-writable (rwx----w-)",
        "chmod 700 " + locks));
  }

  @Test
  @DisplayName("TF-12.1 a lock directory that is a link or a file is a failure")
  void notADirectory() throws Exception {
    Finding expected = Finding.fail("lock directory", locks + " is a link or a file, not a directory",
        "move it away, or set TOWER_HOME to its target");
    Files.createSymbolicLink(locks, Files.createDirectory(locks.resolveSibling("elsewhere")));
    assertThat(directory()).containsExactly(expected);
    Files.delete(locks);
    Files.writeString(locks, "a file");
    assertThat(directory()).containsExactly(expected);
  }

  @Test
  @DisplayName("The file system of the locks is named, and a doubtful one comes with a remedy")
  void disk() throws Exception {
    makeLocks("rwx------");
    assertThat(files.examination().examine().stream().filter(one -> one.check().endsWith("file system")))
        .singleElement().satisfies(one -> assertThat(one.severity()).isNotEqualTo(Severity.FAIL));
  }

  @Test
  @DisplayName("Leftovers of processes and scripts are reported, each with a remedy")
  void leftovers() throws Exception {
    makeLocks("rwx------");
    for (String file : List.of(".tmp-prod", "prod.lock.r1.tmp", "prod.lock.heartbeat.tmp", "Prod.lock", ".prod.fence",
        ".good.fence", ".guard", ".prod.beat")) {
      Files.writeString(locks.resolve(file), "7\n");
      Files.setLastModifiedTime(locks.resolve(file), FileTime.from(time.now().minusSeconds(61)));
    }
    for (String beingWritten : List.of(".tmp-other", "other.lock.r1.tmp")) {
      Files.setLastModifiedTime(Files.writeString(locks.resolve(beingWritten), "7\n"), FileTime.from(time.now()));
    }
    Files.write(locks.resolve(".prod.fence"), new byte[]{(byte) 0x80});

    assertThat(directory().subList(2, 7)).containsExactly(
        Finding.fail("fence counter", locks + "/.prod.fence is damaged: its lock cannot be acquired",
            "write one number into it, not below any fencing token issued for its name"),
        Finding.warn("orphan temp", locks + "/.tmp-prod is left over from a process that died while writing",
            "no action needed; the next use of its lock replaces it"),
        Finding.warn("lock file name", locks + "/Prod.lock is not a lock: its name is not a valid lock name",
            "find the program that writes it; the Tower never reads it"),
        foreign("prod.lock.heartbeat.tmp"), foreign("prod.lock.r1.tmp"));
  }

  private Finding foreign(String file) {
    return Finding.warn("foreign temp",
        locks + "/" + file + " is left over from a script that writes lock files itself",
        "source bin/lock-manager.sh in the script, which follows the protocol; then remove the file");
  }

  @Test
  @DisplayName("Locks: none, alive, stale, corrupt and of a newer version")
  void lockStates() throws Exception {
    try (LockStore store = files.open()) {
      LocksExamination examination = new LocksExamination(store, HolderProbe.NONE);
      assertThat(examination.examine()).containsExactly(Finding.ok("locks", "none held"));
      store.acquire(TestRequest.of(new LeaseName("prod"), new RequestId("r1"),
          new Holder("alice", "manual", "none", "tower-01", 1, false), Ttl.DEFAULT, false));
      assertThat(examination.examine()).containsExactly(Finding.ok("locks", "1 held, all alive"));

      time.advance(Ttl.DEFAULT.duration().plusSeconds(1));
      Files.writeString(locks.resolve("empty.lock"), "");
      Files.writeString(locks.resolve("newer.lock"), "{\"lock_version\":\"v9\"}");

      assertThat(examination.examine()).containsExactly(
          Finding.fail("corrupt lock", locks + "/empty.lock cannot be read as a lock, so it cannot be acquired",
              "ask `tower why empty`"),
          Finding.fail("unsupported lock", locks + "/newer.lock cannot be read as a lock, so it cannot be acquired",
              "ask `tower why newer`"),
          Finding.warn("stale lock", "lock prod is stale: its holder does not renew it",
              "ask `tower why prod`, or free it with `tower force-release prod --reason TEXT`"));
    }
  }

  @Test
  @DisplayName("The actor with most locks is named, stale ones included, if it has several")
  void mostLocks() {
    try (LockStore store = files.open()) {
      LocksExamination examination = new LocksExamination(store, HolderProbe.NONE);
      for (String actorAndLock : List.of("alice a1", "bob b1", "bob b2")) {
        String[] parts = actorAndLock.split(" ", 2);
        store.acquire(TestRequest.of(new LeaseName(parts[1]), new RequestId("r-" + parts[1]),
            new Holder(parts[0], "manual", "none", "tower-01", 1, false), Ttl.DEFAULT, false));
      }
      Finding bob = Finding.ok("most locks", "bob holds 2 of 3");
      assertThat(examination.examine()).containsExactly(Finding.ok("locks", "3 held, all alive"), bob);

      time.advance(Ttl.DEFAULT.duration().plusSeconds(1));
      assertThat(examination.examine()).hasSize(4).endsWith(bob);
    }
  }

  @Test
  @DisplayName("The audit log: none yet, empty, intact, with torn lines, and blocked by a file")
  void auditStates() throws Exception {
    assertThat(audit()).containsExactly(
        Finding.ok("audit log", audit + " does not exist yet; the first event creates it"));
    Files.setPosixFilePermissions(Files.createDirectories(audit), PosixFilePermissions.fromString("rwx------"));
    Finding mode = Finding.ok("audit log mode", "rwx------");
    assertThat(audit()).containsExactly(mode, Finding.ok("audit log", "no event yet"));
    Path day = audit.resolve("audit-2026-01-02.jsonl");
    Files.writeString(audit.resolve("audit-2026-01-01.jsonl"), "older files are not read\n");
    Files.writeString(day, "{\"event\":\"x\",\"timestamp\":\"2026-01-02T00:00:00Z\"}\n\n");
    assertThat(audit()).containsExactly(mode, Finding.ok("audit log", "audit-2026-01-02.jsonl is intact"));
    Files.writeString(day, "torn\n{\"event\":\n");
    assertThat(audit()).containsExactly(mode, Finding.warn("audit log", "2 torn lines in " + day,
        "no action needed; a crash or a full disk left them, and readers skip them"));
    Files.writeString(day, "torn\n");
    assertThat(audit()).containsExactly(mode, Finding.warn("audit log", "1 torn line in " + day,
        "no action needed; a crash or a full disk left it, and readers skip it"));
    for (Path file : List.of(day, audit.resolve("audit-2026-01-01.jsonl"), audit)) {
      Files.delete(file);
    }
    Files.writeString(audit, "a file");
    assertThat(audit()).containsExactly(
        Finding.fail("audit log", audit + " cannot be read: ENOTDIR: not a directory", "check its owner and mode"));
  }

  private static void mode(Path path, String mode) throws IOException {
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
  }

  @Test
  @DisplayName("LK-33 an own directory that others can read is a warning, a world-writable one a failure, a "
      + "missing one neither")
  void modesOfOthers() throws Exception {
    Files.createDirectories(audit);
    mode(audit, "rwxr-x---");
    assertThat(audit().getFirst())
        .isEqualTo(
            Finding.warn("audit log mode", audit + " is accessible to other users (rwxr-x---)", "chmod 700 " + audit));
    mode(audit, "rwxrwxrwx");
    assertThat(audit().getFirst())
        .isEqualTo(Finding.fail("audit log mode", audit + " is world-writable (rwxrwxrwx)", "chmod 700 " + audit));
    assumeTrue(Files.getAttribute(audit, "unix:uid").equals(0), "only root can give files away");
    mode(audit, "rwx------");
    Files.setAttribute(audit, "unix:uid", 12345);
    assertThat(audit().getFirst()).isEqualTo(Finding.warn("audit log mode",
        audit + " is owned by user id 12345, not by this user",
        "run as that user, or set TOWER_HOME to a home of your own"));
  }

  @Test
  @DisplayName("LK-33 the operator's token: none, valid, readable by others, invalid, not a file; it is never revealed")
  void tokens() throws Exception {
    Path state = locks.resolveSibling("state");
    Path token = state.resolve("token");
    Examination examination = new AccessFiles(state, locks.resolveSibling("config"), time, _ -> {}).examination();
    Finding others = Finding.ok("tokens", "only the operator's");
    assertThat(examination.examine())
        .containsExactly(Finding.ok("operator token", "none yet; `tower serve` creates one"), others);
    mode(Files.createDirectories(state), "rwx------");
    String secret = "tower_0123456789012345678901234567890123";
    mode(Files.writeString(token, secret + "\n"), "rw-------");
    assertThat(examination.examine()).containsExactly(Finding.ok("state mode", "rwx------"),
        Finding.ok("operator token mode", "rw-------"), Finding.ok("operator token", "valid"), others);
    Path left = Files.writeString(state.resolve(".token123.new"), secret);
    Files.setLastModifiedTime(left, FileTime.from(time.now().minusSeconds(59)));
    assertThat(examination.examine()).hasSize(4);
    Files.setLastModifiedTime(left, FileTime.from(time.now().minusSeconds(61)));
    assertThat(examination.examine()).contains(
        Finding.warn("orphan temp", left + " is left over from a process that died while writing", "rm " + left));
    mode(token, "rw-r--r--");
    assertThat(examination.examine()).contains(Finding.warn("operator token mode",
        token + " is accessible to other users (rw-r--r--)", "chmod 600 " + token))
        .noneMatch(it -> it.toString().contains(secret));
    assertThat(token).hasContent(secret);
    Files.writeString(token, "short");
    assertThat(examination.examine()).contains(Finding.fail("operator token",
        token + " is not one line of 32 to 512 characters without spaces",
        "remove it; `tower serve` then creates a new one"));
    Files.delete(token);
    Files.createDirectory(token);
    assertThat(examination.examine()).contains(Finding.fail("operator token", token + " is not a file",
        "remove it; `tower serve` then creates a new one"));
  }

  @Test
  @DisplayName("LK-33 waiters: none, alive, and the tickets of dead processes; changes can be watched")
  void waiters() throws Exception {
    try (Presence presence = new ProcessFiles(locks.resolveSibling("processes")).open()) {
      Examination examination = new WaitQueueFiles(locks, presence, _ -> {}).examination();
      Finding watched = Finding.ok("inotify", "changes can be watched");
      assertThat(examination.examine()).containsExactly(Finding.ok("waiters", "none"), watched);
      Path line = Files.createDirectories(locks.resolve(".queue/prod"));
      Files.writeString(line.resolve("0000000000000001-" + presence.id() + "-1"), "r1\n");
      assertThat(examination.examine()).containsExactly(Finding.ok("waiters", "1, all alive"), watched);
      Path dead = Files.writeString(line.resolve("0000000000000002-" + "0".repeat(24) + "-1"), "r2\n");
      assertThat(examination.examine()).containsExactly(
          Finding.warn("orphan ticket", line + " has 1 ticket of dead processes",
              "no action needed; the next waiter there removes them"),
          watched);
      assertThat(dead).exists();
    }
  }

  @Test
  @DisplayName("LK-33 intents: none, valid, and an invalid one is a warning with its position")
  void intents() throws Exception {
    Path intents = locks.resolveSibling("intents");
    Examination examination = new CatalogueExamination(new IntentFiles(intents, time, false).catalogue());
    assertThat(examination.examine()).containsExactly(Finding.ok("intents", "none"));
    Path broken = Files.writeString(Files.createDirectories(intents).resolve("a.yaml"), "apiVersion: none\n");
    assertThat(new CatalogueExamination(new IntentFiles(intents, time, false).catalogue()).examine()).isNotEmpty()
        .allMatch(it -> it.severity() == Severity.WARN && it.message().startsWith(broken + ":")
            && ("run `tower validate " + broken + "`").equals(it.remedy()));
  }

  @Test
  @DisplayName("LK-33 programs that steps need: found on the path, and missing; only scripts need bash")
  void programs() throws Exception {
    Path bin = Files.createDirectories(locks.resolveSibling("bin"));
    for (String program : List.of("sh", "setsid", "bash")) {
      mode(Files.writeString(bin.resolve(program), "#!/bin/sh\n"), "rwx------");
    }
    assertThat(StepProcesses.examination(bin, bin.toString(), Set::of).examine()).containsExactly(
        Finding.ok("sh", bin + "/sh"), Finding.ok("setsid", bin + "/setsid"), Finding.ok("bash", bin + "/bash"));
    assertThat(StepProcesses.examination(bin, "/nowhere", Set::of).examine()).containsExactly(
        Finding.fail("sh", "sh: no such program on the path /nowhere: no step can be run",
            "install sh, or correct PATH"),
        Finding.fail("setsid", "setsid: no such program on the path /nowhere: no step can be run",
            "install it; it comes with util-linux"),
        Finding.warn("bash", "bash: no such program on the path /nowhere: steps with a script cannot be run",
            "install bash, or correct PATH"));
  }

  @Test
  @DisplayName("A lock whose holder is gone is reported with the time when it becomes stale")
  void goneHolder() throws Exception {
    try (LockStore store = files.open()) {
      store.acquire(TestRequest.of(new LeaseName("prod"), new RequestId("r1"),
          new Holder("alice", "manual", "none", "tower-01", 1, false), Ttl.DEFAULT, false));
      String stale = Timestamps.format(time.now().plus(Ttl.DEFAULT.duration()));

      assertThat(new LocksExamination(store, _ -> HolderProbe.Life.ENDED_HERE).examine()).containsExactly(
          Finding.warn("gone holder",
              "lock prod is held by alice on tower-01 (intent manual, request r1), whose process "
                  + "is gone; it becomes stale after " + stale,
              "wait until then, or free it with `tower force-release prod --reason \"its holder is gone\"`"));
    }
  }

  @Test
  @DisplayName("LK-33 a wall clock that was set while a lock was held is reported with its offset, and by a "
      + "heartbeat in the future")
  void clockSteps() throws Exception {
    try (LockStore store = files.open()) {
      LocksExamination examination = new LocksExamination(store, HolderProbe.NONE);
      store.acquire(TestRequest.of(new LeaseName("prod"), new RequestId("r1"),
          new Holder("alice", "manual", "none", "tower-01", 1, false), Ttl.DEFAULT, false));
      time.stepWallClock(Duration.ofHours(1));
      assertThat(examination.examine()).containsExactly(Finding.warn("clock step",
          "the wall clock was set 3600 s ahead since the last heartbeat of lock prod",
          "no action needed for this lock; keep the clock slewed, not stepped"));
      time.stepWallClock(Duration.ofHours(-2));
      assertThat(examination.examine()).containsExactly(Finding.warn("clock step",
          "the wall clock is 3600 s behind the last heartbeat of lock prod",
          "set the clock of this host, or of the one that the heartbeat came from"));
    }
  }
}
