package fleet.tower.run.execute;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import fleet.tower.audit.AuditEvent;
import fleet.tower.lease.Holder;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseState;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.AcquireRequest.Metadata;
import fleet.tower.lock.GrantRules;
import fleet.tower.lock.HolderProbe.Life;
import fleet.tower.lock.HolderProcess;
import fleet.tower.lock.LockStore;
import fleet.tower.lock.Locks;
import fleet.tower.lock.RecordedAudit;
import fleet.tower.lock.TestRequest;
import fleet.tower.lock.file.FileLocks;
import fleet.tower.lock.queue.WaitQueue;
import fleet.tower.platform.time.ManualTime;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.run.Processes;

@DisplayName("The lock of an interrupted run is released with its intent's permission and proof that its steps ended")
class InterruptedLocksTest {
  private static final LeaseName PROD = new LeaseName("prod");
  private static final Metadata RUN = Metadata.NONE.renewedBy(new HolderProcess("boot", "ns", 1, 777));
  private final RecordedAudit audit = new RecordedAudit();
  private final LockStore store;
  private final Locks locks;
  private final InterruptedLocks interrupted;
  private Life life = Life.ENDED_HERE;
  private boolean haveEnded = true;

  /** Processes of which only one thing is known. */
  private final class Steps implements Processes {
    @Override
    public boolean haveEnded(RequestId requestId, long sinceTicks) {
      assertThat(requestId).isEqualTo(new RequestId("r1"));
      assertThat(sinceTicks).isEqualTo(777);
      return haveEnded;
    }

    @Override
    public Started start(Command command, Watcher watcher) {
      throw new AssertionError("nothing is started");
    }

    @Override
    public Started look(Command command, Watcher watcher) {
      throw new AssertionError("nothing is started");
    }

    @Override
    public void execute(Runnable work) {
      throw new AssertionError("nothing is started");
    }

    @Override
    public Output read(RequestId requestId, String logName, long from, int maxBytes) {
      throw new AssertionError("nothing is read");
    }

    @Override
    public long size(RequestId requestId, String logName) {
      throw new AssertionError("nothing is read");
    }

    @Override
    public String tail(RequestId requestId, String logName) {
      return "";
    }

    @Override
    public void close() {}
  }

  InterruptedLocksTest(@TempDir Path directory) {
    ManualTime time = new ManualTime("2026-01-01T10:00:00Z");
    store = new FileLocks(directory, true, time, SystemTime.scheduler(), audit, _ -> {}).open();
    locks = new Locks(store, audit, time, WaitQueue.NONE, Locks.Listener.NONE, Locks.KnownRuns.NONE, false,
        _ -> life, GrantRules.NONE);
    interrupted = new InterruptedLocks(locks, new Steps());
  }

  @AfterEach
  void close() {
    store.close();
  }

  private void hold(Metadata metadata) {
    assertThat(
        locks.acquire(TestRequest.of(PROD, new RequestId("r1"), new Holder("anna", "tidy", "1", "tower-01", 1, false),
            new Ttl(900), false, metadata)))
        .isInstanceOf(AcquireOutcome.Granted.class);
  }

  private boolean isHeld() {
    return locks.view(PROD).leaseState() instanceof LeaseState.Held;
  }

  @ParameterizedTest
  @EnumSource(Life.class)
  @DisplayName("Its executor must have ended on this machine")
  void byLife(Life known) {
    hold(RUN.releasedOnInterruption());
    life = known;

    boolean isReleased = interrupted.release().released() == 1;

    assertThat(isReleased).isEqualTo(known == Life.ENDED_HERE || known == Life.ENDED_BEFORE_BOOT);
    assertThat(isHeld()).isNotEqualTo(isReleased);
    assertThat(audit.events()).filteredOn(AuditEvent.LockReleased.class::isInstance)
        .extracting(event -> ((AuditEvent.LockReleased) event).result())
        .isEqualTo(isReleased ? List.of("aborted") : List.of());
  }

  @Test
  @DisplayName("While a process of its steps may exist it is postponed; after a restart of the machine none can exist")
  void bySteps() {
    hold(RUN.releasedOnInterruption());
    haveEnded = false;
    assertThat(interrupted.release()).isEqualTo(new InterruptedLocks.Outcome(0, 1));
    assertThat(isHeld()).isTrue();
    life = Life.ENDED_BEFORE_BOOT;
    assertThat(interrupted.release()).isEqualTo(new InterruptedLocks.Outcome(1, 0));
    assertThat(interrupted.release()).isEqualTo(new InterruptedLocks.Outcome(0, 0));
  }

  @Test
  @DisplayName("Without the permission of its intent it is left to become stale")
  void withoutPermission() {
    hold(RUN);
    assertThat(interrupted.release()).isEqualTo(new InterruptedLocks.Outcome(0, 0));
    assertThat(isHeld()).isTrue();
  }
}
