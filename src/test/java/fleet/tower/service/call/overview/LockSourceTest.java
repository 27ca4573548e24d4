package fleet.tower.service.call.overview;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Set;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.lease.FencingToken;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.lock.FreezeRequest;
import fleet.tower.lock.LockStore;
import fleet.tower.lock.TestLocks;
import fleet.tower.lock.TestRequest;
import fleet.tower.lock.file.FileLocks;
import fleet.tower.platform.time.ManualTime;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.service.call.overview.OverviewSource.Rows;

@DisplayName("Locks and freezes between two reads of all of them")
class LockSourceTest {
  private static final LeaseName PROD = new LeaseName("prod");
  private static final LeaseName TEST = new LeaseName("test");

  private final LockStore store;
  private final LockSource source;

  LockSourceTest(@TempDir Path directory) {
    ManualTime time = new ManualTime();
    store = new FileLocks(directory.resolve("locks"), true, time, SystemTime.scheduler(), _ -> true, _ -> {}).open();
    source = new LockSource(TestLocks.of(store, _ -> true, time));
  }

  @AfterEach
  void close() {
    store.close();
  }

  private void change(LeaseName name, boolean isTaken) {
    TestRequest asking = TestRequest.by("r1", name.value());
    if (isTaken) {
      store.acquire(asking.request());
      store.freeze(new FreezeRequest(name, new RequestId("req_freeze"), "ann", "migration", new Ttl(1800), null));
    } else {
      store.release(name, asking.owner(), FencingToken.NONE);
      store.unfreeze(name);
    }
  }

  @Test
  @DisplayName("A released lock and a lifted freeze disappear, new ones appear, and those that no signal named are kept")
  void refreshed() {
    change(PROD, true);
    change(TEST, true);
    Rows read = source.read();
    assertThat(read.sections().get("locks")).containsOnlyKeys("prod", "test");
    assertThat(read.sections().get("freezes")).containsOnlyKeys("prod", "test");
    change(PROD, false);
    change(TEST, false);

    Rows refreshed = source.refresh(read, Set.of(PROD));

    assertThat(refreshed.sections().get("locks")).containsOnlyKeys("test");
    assertThat(refreshed.sections().get("freezes")).containsOnlyKeys("test");
    assertThat(source.lease(PROD)).isEmpty();
    assertThat(source.lease(TEST)).isPresent();
    change(PROD, true);
    assertThat(source.refresh(refreshed, Set.of(PROD, TEST))).satisfies(again -> {
      assertThat(again.sections().get("locks")).containsOnlyKeys("prod");
      assertThat(again.sections().get("freezes")).containsOnlyKeys("prod");
    });
    assertThat(source.read()).isEqualTo(source.refresh(refreshed, Set.of(PROD, TEST)));
  }
}
