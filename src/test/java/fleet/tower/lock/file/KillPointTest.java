package fleet.tower.lock.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Extent;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.LeaseState;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.ConcurrentCalls;
import fleet.tower.lock.ForceReleaseOutcome;
import fleet.tower.lock.TestRequest;
import fleet.tower.platform.disk.Journal;

@DisplayName("A process that dies before any system call leaves nothing broken")
class KillPointTest {
  /** Fewer only if the store makes fewer calls. */
  private static final int KILL_POINTS = 277;
  /** Calls that change nothing: to die before one is to die before the next change. */
  private static final Set<String> LOOKS = Set.of("read", "has", "open", "compare");
  @TempDir
  private Path temp = Path.of("not-yet");

  /** A place to die: before a call, or with half of its content written. */
  private record KillPoint(StoreCall operation, TappedDirectory.Call call, boolean halfDone, Path directory) {
    @Override
    public String toString() {
      return operation + " killed " + (halfDone ? "in the middle of " : "before ") + call;
    }
  }

  @Test
  @Timeout(1200)
  @DisplayName("LK-5 LK-B7 TF-1.2 TF-1.4 killed before each call and in each half-written file: no torn lock, "
      + "guard free, tokens grow")
  void diesAnywhere() {
    List<KillPoint> all = new ArrayList<>();
    List<KillPoint> points = new ArrayList<>();
    for (StoreCall operation : StoreCall.values()) {
      List<KillPoint> its = points(operation);
      all.addAll(its);
      points.addAll(Extent.ends(its));
    }

    List<Integer> checked = ConcurrentCalls.call(List.of(() -> checkEach(points, 0), () -> checkEach(points, 1)));

    System.out.println("kill points: " + points.size());
    assertThat(all).hasSizeGreaterThanOrEqualTo(KILL_POINTS);
    assertThat(checked.get(0) + checked.get(1)).isEqualTo(points.size());
  }

  @Test
  @DisplayName("TF-1.2 a child that is not told to die completes the operation: the kill points are complete")
  void completesBehindTheLast() {
    for (StoreCall operation : List.of(StoreCall.STEAL, StoreCall.RELEASE)) {
      Path directory = temp.resolve("whole-" + operation);
      FileFixture files = new FileFixture(directory);
      int calls = operation.calls(new FileFixture(temp.resolve("counted-" + operation))).size();
      operation.prepare(files);

      assertThat(run(directory, operation, calls + 1, false)).isZero();
      assertThat(files.store().view(StoreCall.NAME).leaseState()).isInstanceOf(
          operation == StoreCall.STEAL ? LeaseState.Held.class : LeaseState.Vacant.class);
      files.close();
    }
  }

  private List<KillPoint> points(StoreCall operation) {
    List<TappedDirectory.Call> calls;
    try (FileFixture counted = new FileFixture(temp.resolve("counted-" + operation))) {
      calls = operation.calls(counted);
    }
    List<KillPoint> points = new ArrayList<>();
    for (TappedDirectory.Call call : calls) {
      if (call.file().startsWith(Journal.CURRENT) && LOOKS.contains(call.operation())) {
        continue;
      }
      Path directory = temp.resolve(operation + "-" + call.number());
      points.add(new KillPoint(operation, call, false, directory));
      if (call.content() != null) {
        points.add(new KillPoint(operation, call, true, directory.resolveSibling(directory.getFileName() + "-half")));
      }
    }
    return points;
  }

  private int checkEach(List<KillPoint> points, int remainder) {
    int checked = 0;
    for (int i = remainder; i < points.size(); i += 2) {
      check(points.get(i));
      checked++;
    }
    return checked;
  }

  private void check(KillPoint point) {
    try (FileFixture files = new FileFixture(point.directory())) {
      point.operation().prepare(files);
      FaultCheck after = new FaultCheck(files, point.operation(), true, point.toString());
      int exit = run(point.directory(), point.operation(), point.call().number(), point.halfDone());
      assertThat(exit).as(point.toString()).isEqualTo(KillPointMain.DEAD);

      LeaseState found = files.store().view(StoreCall.NAME).leaseState();
      if (point.operation() == StoreCall.FORCE_RELEASE_CORRUPT) {
        assertThat(found).as(point.toString()).isNotInstanceOf(LeaseState.Held.class);
      } else {
        assertThat(found).as(point.toString()).isNotInstanceOf(LeaseState.Corrupt.class);
      }
      after.recoversFromDeath();
    }
  }

  private static int run(Path directory, StoreCall operation, int call, boolean halfDone) {
    Path output = directory.resolveSibling(directory.getFileName() + ".output");
    return ChildJvm.exitCode(ChildJvm.start(KillPointMain.class,
        List.of(directory.toString(), operation.name(), Integer.toString(call), Boolean.toString(halfDone)), output));
  }

  @Test
  @DisplayName("Decision 3 a force release also cleans up after a death during a steal")
  void forceReleaseClearsUp() {
    Path directory = temp.resolve("cleared");
    FileFixture files = new FileFixture(directory);
    StoreCall.STEAL.prepare(files);
    int exchange = StoreCall.STEAL.calls(new FileFixture(temp.resolve("counted"))).stream()
        .filter(call -> call.operation().equals("exchange") && call.file().equals("prod.lock")).findFirst()
        .orElseThrow().number();

    assertThat(run(directory, StoreCall.STEAL, exchange, false)).isEqualTo(KillPointMain.DEAD);

    assertThat(files.names()).contains(".tmp-prod");
    assertThat(files.store().forceRelease(StoreCall.NAME)).isInstanceOf(ForceReleaseOutcome.Removed.class);
    long token = files.granted(TestRequest.by("req_next", StoreCall.LOCK)).token().value();
    assertThat(token).isGreaterThan(2);
    assertThat(files.names()).containsExactly(".guard", ".journal", ".prod." + token + ".granted", ".prod.beat",
        ".prod.fence", "prod.lock");
    assertThat(files.store().release(StoreCall.NAME, TestRequest.owner(new RequestId("req_next")), FencingToken.NONE))
        .isNotNull();
    files.close();
  }
}
