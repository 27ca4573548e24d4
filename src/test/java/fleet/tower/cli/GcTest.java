package fleet.tower.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.TestHome;

@DisplayName("tower gc deletes old data")
class GcTest {
  private final TestHome home;

  GcTest(@TempDir Path root) {
    home = new TestHome(root);
  }

  private void log(String day) throws Exception {
    Files.writeString(Files.createDirectories(home.root().resolve("logs/audit")).resolve("audit-" + day + ".jsonl"),
        "");
  }

  @Test
  @DisplayName("A dry run prints the same and deletes nothing; ages come from options, the environment or the defaults")
  void ages() throws Exception {
    log("2020-01-01");
    log("2020-01-02");

    assertThat(home.tower("gc --dry-run").out())
        .isEqualTo("would remove 0 runs, the output of 0 unknown runs, 0 unused lock names, 2 days of "
            + "audit log (2020-01-01 to 2020-01-02)\n");
    assertThat(home.tower("gc --audit 0").out()).isEqualTo(
        "removed 0 runs, the output of 0 unknown runs, 0 unused lock names, 0 days of audit log\n");
    home.with("TOWER_RETENTION_AUDIT", "36500d");
    assertThat(home.tower("gc --json").data().raw()).isEqualTo(
        "{\"dry_run\":false,\"runs\":0,\"outputs\":0,\"lock_names\":0,\"audit_days\":[],\"audit_kept\":null}");
    home.with("TOWER_RETENTION_AUDIT", "400d");
    assertThat(home.tower("gc --json").data().raw()).isEqualTo(
        "{\"dry_run\":false,\"runs\":0,\"outputs\":0,\"lock_names\":0,\"audit_days\":[\"2020-01-01\",\"2020-01-02\"],\"audit_kept\":null}");
    assertThat(home.root().resolve("logs/audit").toFile().list()).isEmpty();
  }

  @Test
  @DisplayName("A lock name that was not used for 30 days is forgotten, unless the setting is 0; its tokens continue to grow")
  void lockNames() throws Exception {
    for (String name : List.of("old", "young")) {
      home.tower("lock " + name + " --request-id r1");
      home.tower("unlock " + name + " --request-id r1");
    }
    Files.setLastModifiedTime(home.locks().resolve(".old.fence"), FileTime.from(Instant.EPOCH));
    Files.delete(home.locks().resolve(".old.beat"));

    home.with("TOWER_LOCKS_KEEP_UNUSED", "0");
    assertThat(home.tower("gc --dry-run").out()).contains(", 0 unused lock names,");
    home.with("TOWER_LOCKS_KEEP_UNUSED", "30d");
    assertThat(home.tower("gc --dry-run").out()).startsWith("would remove ").contains(", 1 unused lock names,");
    assertThat(home.tower("gc").out()).startsWith("removed ").contains(", 1 unused lock names,");

    assertThat(home.locks().resolve(".old.fence")).doesNotExist();
    assertThat(home.locks().resolve(".young.fence")).exists();
    assertThat(home.tower("lock old --json").data().integer("fencing_token")).hasValue(2);
    home.with("TOWER_LOCKS_KEEP_UNUSED", "59m");
    assertThat(home.tower("gc").err())
        .contains("TOWER_LOCKS_KEEP_UNUSED is '59m'; it may be a time span of at least 1h, or 0");
  }

  @Test
  @DisplayName("The history of an unreleased lock is kept, and the output says so")
  void unreleased() throws Exception {
    log("2020-01-01");
    Files.createDirectories(home.root().resolve("logs/locks"));
    Files.writeString(home.root().resolve("logs/locks/torn.lock"), "{");

    assertThat(home.tower("gc").err()).contains("older days of the audit log are kept: lock torn cannot be read");
    assertThat(home.root().resolve("logs/audit/audit-2020-01-01.jsonl")).exists();
  }

  @Test
  @DisplayName("An invalid age is rejected, so a typing error deletes nothing")
  void badAge() throws Exception {
    log("2020-01-01");
    home.with("TOWER_RETENTION_AUDIT", "a while");

    assertThat(home.tower("gc").exit()).isNotZero();
    assertThat(home.tower("gc").err())
        .contains("TOWER_RETENTION_AUDIT is 'a while'; it may be a time span like 90d, or 0");
    assertThat(home.root().resolve("logs/audit/audit-2020-01-01.jsonl")).exists();
  }
}
