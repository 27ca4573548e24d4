package fleet.tower.lock.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.lease.FencingToken;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseState;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.LockStore;
import fleet.tower.lock.LockView;
import fleet.tower.lock.TestRequest;

@DisplayName("A refusal or a query costs the disk one read and leaves no trace")
class RefusalTest {
  private static final LeaseName PROD = new LeaseName("prod");

  private final List<String> calls = new ArrayList<>();
  @AutoClose
  private final FileFixture files;

  RefusalTest(@TempDir Path temp) {
    files = new FileFixture(temp.resolve("locks"));
  }

  private LockStore watched() {
    return files.kept(FileStores.on(
        new TappedDirectory(files.nio(true), call -> calls.add(call.operation() + " " + call.file())), files.time()));
  }

  @Test
  @DisplayName("LK-B5 TF-4.4 a live lock refuses with one read and a check for a freeze: no guard, write or sync, with "
      + "or without force; the first operation of a process also checks whether the boot is the journal's")
  void refusedByOneRead() {
    files.granted(TestRequest.by("req_anna", "prod"));

    LockStore watched = watched();
    assertThat(watched.acquire(TestRequest.by("req_bert", "prod").request()))
        .isInstanceOf(AcquireOutcome.Refused.class);
    assertThat(watched.acquire(TestRequest.by("req_bert", "prod").withForce().request()))
        .isInstanceOf(AcquireOutcome.Refused.class);

    assertThat(calls).containsExactly("read .journal", "read prod.lock", "has .prod.freeze", "read prod.lock",
        "has .prod.freeze");
  }

  @Test
  @DisplayName("TF-6.3 a stale lock refuses with one more read, of the boot clock's evidence")
  void refusedAsStale() {
    files.granted(TestRequest.by("req_anna", "prod"));
    files.time().advance(Duration.ofHours(1));

    assertThat(watched().acquire(TestRequest.by("req_bert", "prod").request()))
        .isInstanceOf(AcquireOutcome.Refused.class);

    assertThat(calls).containsExactly("read .journal", "read prod.lock", "read .prod.beat", "has .prod.freeze");
  }

  @Test
  @DisplayName("LK-17 LK-24 LK-B8 LK-B23 TF-12.4 a pid is informational: neither a live process nor a dead one "
      + "changes a decision")
  void pidsProveNothing() {
    String ofLivingProcess = LockTexts.of("prod", "req_anna", "2025-12-18T10:00:00Z").replace("12345",
        Long.toString(ProcessHandle.current().pid()));
    files.put("prod", ofLivingProcess);
    assertThat(files.store().view(PROD).state()).isEqualTo(LeaseState.State.STALE);

    files.put("prod", LockTexts.of("prod", "req_anna", "2025-12-18T10:30:00Z").replace("12345", "2147483647"));
    assertThat(files.store().acquire(TestRequest.by("req_bert", "prod").withForce().request()))
        .isInstanceOf(AcquireOutcome.Refused.class);
  }

  @Test
  @DisplayName("TF-A39 leftovers of a crash are not listed as locks, and are replaced when their name is needed")
  void leftovers() {
    FileFixture.write(files.directory().resolve(".tmp-prod.fence.new"), new byte[0]);
    SortedSet<String> whole = namesAfter(TestRequest.by("req_anna", "prod"));
    assertThat(whole).containsExactly(".guard", ".journal", ".prod.1.granted", ".prod.beat", ".prod.fence",
        "prod.lock");
    files.store().release(PROD, TestRequest.owner(new RequestId("req_anna")), FencingToken.NONE);
    FileFixture.write(files.directory().resolve(".tmp-prod"), new byte[]{'{'});

    assertThat(files.store().list()).isEmpty();
    assertThat(namesAfter(TestRequest.by("req_bert", "prod")))
        .containsExactlyElementsOf(whole.stream().map(file -> file.replace(".1.", ".2.")).toList());
    assertThat(files.store().list()).extracting(LockView::name).containsExactly(PROD);
  }

  private SortedSet<String> namesAfter(TestRequest asking) {
    files.granted(asking);
    return files.names();
  }
}
