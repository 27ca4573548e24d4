package fleet.tower.lock.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.lease.Decision;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseState;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.LockStore;
import fleet.tower.lock.ReleaseOutcome;
import fleet.tower.lock.RenewOutcome;
import fleet.tower.lock.TestRequest;

@DisplayName("The Tower does not have the bugs of the specification's shell functions")
class RecipeBugsTest {
  private static final LeaseName PROD = new LeaseName("prod");

  /** Sections 4.2, 5.3, 6.2 and 10.2 of the specification. */
  private static final String RECIPES = """
      take() {
        local temp_path="$1.$2.tmp"
        echo "$2" > "$temp_path"
        mv -n "$temp_path" "$1" || { rm "$temp_path"; return 1; }
      }
      update_heartbeat() {
        jq --arg ts "$(date -u +%Y-%m-%dT%H:%M:%SZ)" '.last_heartbeat_at = $ts' "$1" > "$1.heartbeat.tmp"
        mv "$1.heartbeat.tmp" "$1"
      }
      is_lock_stale() {
        local last_heartbeat ttl last_epoch now_epoch age
        last_heartbeat=$(jq -r '.last_heartbeat_at' "$1")
        ttl=$(jq -r '.ttl_seconds' "$1")
        last_epoch=$(date -d "$last_heartbeat" +%s 2>/dev/null || echo 0)
        now_epoch=$(date +%s)
        age=$((now_epoch - last_epoch))
        [[ $age -gt $ttl ]]
      }
      """;

  private final Path temp;
  @AutoClose
  private final FileFixture files;

  RecipeBugsTest(@TempDir Path temp) {
    this.temp = temp;
    files = new FileFixture(temp.resolve("locks"));
  }

  private static String bash(String script, String... arguments) throws IOException {
    Assumptions.assumeTrue(exists("bash") && exists("jq"), "bash and jq are needed to show the recipe's bug");
    List<String> command = new ArrayList<>(List.of("bash", "-c", RECIPES + script, "bash"));
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    ChildJvm.exitCode(process);
    return output.strip();
  }

  private static boolean exists(String program) {
    return List.of(System.getenv("PATH").split(":", -1)).stream()
        .anyMatch(directory -> Files.isExecutable(Path.of(directory, program)));
  }

  @Test
  @DisplayName("TF-B1 mv -n admits two where it exits 0; the Tower admits one and reports which")
  void doubleAcquire() throws IOException {
    Path theirs = temp.resolve("theirs.lock");
    String output = bash("take $1 a && echo a has it; take $1 b && echo b has it", theirs.toString());
    assertThat(output).contains("a has it");
    assertThat(Files.readString(theirs)).isEqualTo("a\n");

    Lease first = files.granted(TestRequest.by("req_a", "prod"));
    assertThat(files.store().acquire(TestRequest.by("req_b", "prod").request()))
        .isInstanceOfSatisfying(AcquireOutcome.Refused.class, refused -> assertThat(refused.refusal())
            .isInstanceOfSatisfying(Decision.Blocked.class, it -> assertThat(it.lease()).isEqualTo(first)));
    assertThat(files.names()).noneMatch(name -> name.contains("tmp"));
  }

  @Test
  @DisplayName("TF-B2 a fresh acquire between two steals blocks the second, which steals nothing")
  void stealVersusFreshAcquire() {
    files.granted(TestRequest.by("req_old", "prod"));
    files.time().advance(Duration.ofHours(1));
    try (LockStore thief = storeWith(call -> {
      if (call.number() == 2) {
        files.store().forceRelease(PROD);
        files.granted(TestRequest.by("req_fresh", "prod"));
      }
    })) {
      assertThat(thief.acquire(TestRequest.by("req_thief", "prod").withForce().request()))
          .isInstanceOfSatisfying(AcquireOutcome.Refused.class,
              refused -> assertThat(refused.refusal()).isInstanceOf(Decision.Blocked.class));
    }
    assertThat(files.text("prod")).contains("req_fresh");
  }

  @Test
  @DisplayName("TF-B3 a heartbeat that began before a steal does not restore the old lock")
  void heartbeatVersusSteal() {
    Lease old = files.granted(TestRequest.by("req_old", "prod"));
    try (LockStore holder = storeWith(call -> {
      if (call.number() == 1) {
        files.time().advance(Duration.ofHours(1));
        files.granted(TestRequest.by("req_thief", "prod").withForce());
      }
    })) {
      assertThat(holder.renew(PROD, old.owner(), old.token())).isInstanceOf(RenewOutcome.Taken.class);
    }
    assertThat(files.text("prod")).contains("req_thief");
  }

  @Test
  @DisplayName("TF-B4 an empty or undated file is stale to the recipe, and corrupt to the Tower")
  void garbageIsStale() throws IOException {
    for (String garbage : List.of("", "{\"last_heartbeat_at\":\"never\",\"ttl_seconds\":900}")) {
      files.put("prod", garbage);
      assertThat(bash("is_lock_stale $1 && echo stale", files.lock("prod").toString())).contains("stale");

      assertThat(files.store().view(PROD).state()).isEqualTo(LeaseState.State.CORRUPT);
      assertThat(files.store().acquire(TestRequest.by("req_a", "prod").withForce().request()))
          .isInstanceOf(AcquireOutcome.Refused.class);
      assertThat(files.text("prod")).isEqualTo(garbage);
    }
  }

  @Test
  @DisplayName("TF-B5 a heartbeat without a lock creates an empty file in the recipe; the Tower reports gone "
      + "and creates nothing")
  void ghost() throws IOException {
    Path theirs = temp.resolve("theirs.lock");
    assertThat(bash("if update_heartbeat $1; then echo fine; fi", theirs.toString())).contains("fine");
    assertThat(theirs).isEmptyFile();

    Lease held = files.granted(TestRequest.by("req_a", "prod"));
    files.store().release(PROD, held.owner(), held.token());
    List<String> before = files.everything();
    assertThat(files.store().renew(PROD, held.owner(), held.token())).isEqualTo(new RenewOutcome.Gone());
    assertThat(files.everything()).isEqualTo(before);
  }

  @Test
  @DisplayName("TF-B6 a release that began before a steal does not remove the new holder's lock")
  void releaseVersusSteal() {
    Lease old = files.granted(TestRequest.by("req_old", "prod"));
    try (LockStore holder = storeWith(call -> {
      if (call.number() == 2) {
        files.time().advance(Duration.ofHours(1));
        files.granted(TestRequest.by("req_thief", "prod").withForce());
      }
    })) {
      assertThat(holder.release(PROD, old.owner(), FencingToken.NONE)).isInstanceOf(ReleaseOutcome.NotOwner.class);
    }
    assertThat(files.text("prod")).contains("req_thief");
  }

  @Test
  @DisplayName("TF-B7 rm -f hides that it cannot remove; the Tower reports it with the errno")
  void hiddenError() {
    Lease held = files.granted(TestRequest.by("req_a", "prod"));
    try (LockStore holder = storeWith(call -> {
      if (call.operation().equals("unlink")) {
        throw new AccessDeniedException(call.file());
      }
    })) {
      assertThat(holder.release(PROD, held.owner(), held.token()))
          .isEqualTo(new ReleaseOutcome.Failed(held, files.time().now(), "EACCES: permission denied"));
    }
    assertThat(files.lock("prod")).exists();
  }

  @Test
  @DisplayName("TF-B8 the ttl is the requested one, and the lock is on disk before the response")
  void ttlAndSync() {
    List<String> calls = new ArrayList<>();
    try (LockStore store = storeWith(call -> calls.add(call.operation() + " " + call.file()))) {
      AcquireOutcome outcome = store.acquire(TestRequest.by("req_a", "prod").withTtl(1800).request());
      assertThat(outcome).isInstanceOf(AcquireOutcome.Granted.class);
    }
    assertThat(files.text("prod")).contains("\"ttl_seconds\": 1800");
    assertThat(calls).containsSubsequence("create .tmp-prod.fence.new", "rename .prod.fence", "create .tmp-prod",
        "link prod.lock", "rename .prod.1.granted", "append .journal", "sync .journal", "leave .guard");
    assertThat(files.store().release(PROD, TestRequest.owner(new RequestId("req_a")), FencingToken.NONE))
        .isInstanceOf(ReleaseOutcome.Released.class);
  }

  @Test
  @DisplayName("The counter of a lock named tmp-prod survives every operation on lock prod")
  void countersOfNamesThatLookLikeTemps() {
    Lease first = files.granted(TestRequest.by("req_a", "tmp-prod"));
    files.granted(TestRequest.by("req_b", "prod"));
    assertThat(files.names()).contains(".tmp-prod.fence");
    files.store().release(first.name(), first.owner(), first.token());
    assertThat(files.granted(TestRequest.by("req_c", "tmp-prod")).token()).isGreaterThan(first.token());
  }

  private LockStore storeWith(TappedDirectory.Tap tap) {
    return FileStores.on(new TappedDirectory(files.nio(true), tap), files.time());
  }
}
