package fleet.tower.platform.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Installation;
import fleet.tower.harness.Installation.Result;

/** A home on a disk of its own, which mail and output fill. */
class DiskReserveProcessTest {
  private static final String SCRIPT = """
      mount -t tmpfs -o size=40m,mode=700 none "$1" || exit 99
      mkdir "$1/config" "$1/intents"
      export TOWER_DISK_RESERVE=16MB
      cat >"$1/intents/chatter.yaml" <<'END'
      apiVersion: tower-fleet/intent/v1
      kind: Intent
      metadata: { name: chatter, version: 1.0.0, description: Prints more than the disk has }
      spec:
        mode: observe
        steps:
          - { name: talk, script: "head -c 60000000 /dev/zero | tr '\\\\0' x; echo done >$TOWER_HOME/state/after" }
      END
      { printf '"'; head -c 250000 /dev/zero | tr '\\0' x; printf '"'; } >"$1/body.json"
      for lock in kept freed; do "$2" lock $lock --request-id r-$lock --actor ann; done >/dev/null
      "$2" token create bob --role agent >/dev/null 2>&1
      "$2" mailbox send jobs --body-file "$1/body.json" >/dev/null; echo "first mail $?"
      "$2" run chatter >/dev/null; echo "run $?"
      cat "$1/state/after"
      for i in 1 2 3 4 5 6 7 8; do "$2" mailbox send jobs --body-file "$1/body.json" >/dev/null || break; done
      "$2" mailbox send jobs --body-file "$1/body.json"; echo "mail $?"
      "$2" task create T --agent ann --request-id t1; echo "task $?"
      "$2" run chatter; echo "second run $?"
      "$2" heartbeat kept --request-id r-kept --actor ann >/dev/null; echo "heartbeat $?"
      "$2" unlock kept --request-id r-kept --actor ann >/dev/null; echo "unlock $?"
      "$2" force-release freed --reason full >/dev/null; echo "force-release $?"
      "$2" token revoke bob >/dev/null; echo "revoke $?"
      "$2" audit | grep -oE '"event":"(lock_released|lock_force_released|token_revoked)"'
      df -B1 --output=avail "$1" | tail -1
      """;

  private final Installation tower;

  DiskReserveProcessTest(@TempDir Path directory) {
    tower = new Installation(directory.resolve("release"));
  }

  @Test
  @DisplayName("On a disk that mail and output have filled, locks are renewed and released, tokens revoked, and all "
      + "of it audited")
  void full() throws Exception {
    Path home = Files.createDirectories(tower.home());
    Result result = tower
        .run(List.of("unshare", "-m", "sh", "-c", SCRIPT, "sh", home.toString(), tower.launcher().toString()));
    assumeTrue(result.exit() != 99 && !result.err().contains("unshare"), "no mount namespace can be made here");

    List<String> lines = result.out().lines().toList();
    assertThat(lines.subList(0, lines.size() - 1)).as(result.err()).containsExactly("first mail 0", "run 0", "done",
        "mail 69", "task 69", "second run 69", "heartbeat 0", "unlock 0", "force-release 0", "revoke 0",
        "\"event\":\"lock_released\"", "\"event\":\"lock_force_released\"", "\"event\":\"token_revoked\"");
    assertThat(result.err()).contains("has less than 16777216 bytes left, which are kept for locks");
    assertThat(Long.parseLong(lines.getLast().strip())).isGreaterThan(12_000_000);
  }
}
