package fleet.tower.run.members;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import fleet.tower.foreign.ProcessProbe;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.Holder;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.lock.AcquireRequest.Metadata;
import fleet.tower.lock.HolderProbe;
import fleet.tower.lock.HolderProcess;
import fleet.tower.platform.StorageException;
import fleet.tower.run.MemoryRuns;
import fleet.tower.run.Run;
import fleet.tower.run.RunStore;
import fleet.tower.run.Runs;

@DisplayName("A holder counts as gone only if there is evidence")
class HolderEvidenceTest {
  private static final Instant NOON = Instant.parse("2026-11-20T12:00:00Z");
  private static final long PID = 4711;
  private final MemoryRuns runs = new MemoryRuns();

  /** A machine with one process. */
  private record Machine(Optional<Realm> realm, ProcessProbe.Life life, OptionalLong start) implements ProcessProbe {
    Machine(ProcessProbe.Life life, long start) {
      this(Optional.of(new Realm("boot-1", "ns-1")), life, start == 0 ? OptionalLong.empty() : OptionalLong.of(start));
    }

    @Override
    public Optional<String> hostname() {
      return Optional.of("host-1");
    }

    @Override
    public ProcessProbe.Life life(long pid) {
      return life;
    }

    @Override
    public OptionalLong startTicks(long pid) {
      return start;
    }
  }

  private static Lease lease(String host, Metadata metadata) {
    return new Lease(new LeaseName("prod"), new RequestId("r"), new FencingToken(1),
        new Holder("anna", "deploy", "1", host, PID, false), NOON, NOON, new Ttl(900),
        metadata.with(new FencingToken(1)));
  }

  private static Lease lease(String host, String boot, String namespace) {
    return lease(host, Metadata.NONE.renewedBy(new HolderProcess(boot, namespace, PID, 777)));
  }

  private HolderEvidence evidence(Machine machine, HolderEvidence.Executors executors) {
    return new HolderEvidence("host-1", machine, () -> runs, executors);
  }

  @ParameterizedTest
  @CsvSource({
      "ALIVE, 777, UNKNOWN", // it lives
      "ALIVE, 778, ENDED_HERE", // its pid was reused
      "GONE, 0, ENDED_HERE", // the kernel has no such process
      "ENDED, 0, ENDED_HERE", // not reaped yet
      "UNKNOWN, 0, UNKNOWN", // hidden from this user
      "ALIVE, 0, UNKNOWN"})
  @DisplayName("On the same boot by its pid and its start time")
  void here(ProcessProbe.Life life, long start, HolderProbe.Life expected) {
    HolderEvidence evidence = evidence(new Machine(life, start), HolderEvidence.Executors.of(_ -> false));

    assertThat(evidence.examine(lease("host-1", "boot-1", "ns-1"))).isEqualTo(expected);
    assertThat(evidence.examined(lease("host-1", "boot-1", "ns-1")).holder().isGone()).isEqualTo(expected.isGone());
  }

  @Test
  @DisplayName("After a restart of its host; another host, another container and a client without a process are unknown")
  void elsewhere() {
    HolderEvidence evidence = evidence(new Machine(ProcessProbe.Life.GONE, 0), HolderEvidence.Executors.of(_ -> false));

    assertThat(evidence.examine(lease("host-1", "boot-0", "ns-1"))).isEqualTo(HolderProbe.Life.ENDED_BEFORE_BOOT);
    assertThat(evidence.examine(lease("host-2", "boot-0", "ns-1"))).isEqualTo(HolderProbe.Life.UNKNOWN);
    assertThat(evidence.examine(lease("host-1", "boot-1", "ns-2"))).isEqualTo(HolderProbe.Life.UNKNOWN);
    assertThat(evidence.examine(lease("host-1", Metadata.NONE))).isEqualTo(HolderProbe.Life.UNKNOWN);
    Lease ofAnotherPid = lease("host-1", Metadata.NONE.renewedBy(new HolderProcess("boot-1", "ns-1", 1, 777)));
    assertThat(evidence.examine(ofAnotherPid)).isEqualTo(HolderProbe.Life.UNKNOWN);
    HolderEvidence blind = evidence(new Machine(Optional.empty(), ProcessProbe.Life.GONE, OptionalLong.empty()),
        HolderEvidence.Executors.of(_ -> false));
    assertThat(blind.examine(lease("host-1", "boot-1", "ns-1"))).isEqualTo(HolderProbe.Life.UNKNOWN);
    assertThat(blind.identify(PID)).isEmpty();
  }

  @Test
  @DisplayName("Elsewhere by the record of its run: interrupted, or its executor is dead")
  void byRun() {
    HolderEvidence alive = evidence(new Machine(ProcessProbe.Life.GONE, 0), HolderEvidence.Executors.of(_ -> true));
    HolderEvidence dead = evidence(new Machine(ProcessProbe.Life.GONE, 0), HolderEvidence.Executors.of(_ -> false));
    Lease lease = lease("host-2", "boot-2", "ns-2");
    Run run = Runs.waiting("r");
    runs.begin(Runs.claim("r"), run, "executor-2");

    assertThat(alive.examine(lease)).isEqualTo(HolderProbe.Life.UNKNOWN);
    assertThat(dead.examine(lease)).isEqualTo(HolderProbe.Life.ENDED_ELSEWHERE);
    runs.interrupt(new RequestId("r"), "executor-2", NOON);
    assertThat(alive.examine(lease)).isEqualTo(HolderProbe.Life.ENDED_ELSEWHERE);
    HolderEvidence broken = new HolderEvidence("host-1", new Machine(ProcessProbe.Life.GONE, 0), () -> {
      throw new StorageException("the database is away");
    }, HolderEvidence.Executors.of(_ -> false));
    assertThat(broken.examine(lease)).isEqualTo(HolderProbe.Life.UNKNOWN);
  }

  @Test
  @DisplayName("In a fleet by the entry of its executor; one whose entry is gone may be alive")
  void fleet() {
    Lease lease = lease("host-2", "boot-2", "ns-2");
    runs.begin(Runs.claim("r"), Runs.waiting("r"), "executor-2");

    assertThat(fleet(() -> List.of(entry("executor-2", true))).examine(lease)).isEqualTo(HolderProbe.Life.UNKNOWN);
    assertThat(fleet(List::of).examine(lease)).isEqualTo(HolderProbe.Life.UNKNOWN);
    assertThat(fleet(() -> List.of(entry("executor-2", false), entry("executor-3", true))).examine(lease))
        .isEqualTo(HolderProbe.Life.ENDED_ELSEWHERE);
  }

  @Test
  @DisplayName("In a fleet by its host, if no process of it is alive and it has not renewed its lock since")
  void host() {
    Lease silent = lease("host-2", "boot-2", "ns-2");
    Lease renewing = silent.renewedAt(NOON.plus(Membership.TTL).minusSeconds(29));
    HolderEvidence dead = fleet(() -> List.of(entry("executor-3", false)));

    assertThat(dead.examine(silent)).isEqualTo(HolderProbe.Life.ENDED_ELSEWHERE);
    assertThat(dead.examine(renewing)).as("a process that outlived its service").isEqualTo(HolderProbe.Life.UNKNOWN);
    assertThat(dead.examine(lease("host-2", Metadata.NONE))).as("a client").isEqualTo(HolderProbe.Life.UNKNOWN);
    assertThat(fleet(() -> List.of(entry("executor-3", false), entry("executor-4", true))).examine(silent))
        .isEqualTo(HolderProbe.Life.UNKNOWN);
    assertThat(fleet(() -> {
      throw new StorageException("the database is away");
    }).examine(silent)).isEqualTo(HolderProbe.Life.UNKNOWN);
  }

  private HolderEvidence fleet(Supplier<List<MemberStore.Entry>> entries) {
    return evidence(new Machine(ProcessProbe.Life.GONE, 0), HolderEvidence.Executors.of(entries));
  }

  private static MemberStore.Entry entry(String id, boolean isAlive) {
    return new MemberStore.Entry(new Member(id, "host-2", "machine-2", "/home", 1, Member.Kind.SERVICE, "1"), NOON,
        NOON,
        isAlive, null);
  }

  @Test
  @DisplayName("A queued run without an executor is unknown")
  void queued() {
    runs.begin(Runs.claim("r"), Runs.waiting("r"), RunStore.QUEUE);

    assertThat(evidence(new Machine(ProcessProbe.Life.GONE, 0), HolderEvidence.Executors.of(_ -> false))
        .examine(lease("host-2", "boot-2", "ns-2"))).isEqualTo(HolderProbe.Life.UNKNOWN);
  }
}
