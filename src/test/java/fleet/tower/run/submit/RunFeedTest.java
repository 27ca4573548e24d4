package fleet.tower.run.submit;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.lease.RequestId;
import fleet.tower.run.ManualProcesses;
import fleet.tower.run.StepLogs;
import fleet.tower.run.execute.RunFeed;
import fleet.tower.run.execute.RunHandle;

class RunFeedTest {
  @AutoClose
  private final TestExecutor works;

  RunFeedTest(@TempDir Path directory) {
    works = new TestExecutor(directory.resolve("locks"));
    works.with(IntentBuilder.mutate("deploy").lock("prod").undoable("one").undoable("two"));
  }

  @Test
  @DisplayName("Events come as they happen: starts, whole lines, heartbeats, ends, and finally the run")
  void live() {
    RunHandle handle = works.accepted(TestExecutor.request("deploy", "r1"));
    RunFeed feed = RunFeed.of(handle, works.processes);
    ManualProcesses.Hand one = works.processes.awaitStart(1);
    assertThat(told(feed, 1)).containsExactly("0.s start one");
    one.print("hel");
    one.print("lo\r\nwor");
    assertThat(told(feed, 1)).containsExactly("0.7 one: hello");
    works.time.advance(Duration.ofSeconds(30));
    assertThat(told(feed, 1)).containsExactly("heartbeat");
    one.exit(0);
    assertThat(told(feed, 3)).containsExactly("0.10 one: wor", "0.e succeeded one", "1.s start two");
    works.processes.awaitStart(2).exit(1);
    works.processes.awaitStart(3).print("gone\n");
    works.processes.awaitStart(3).exit(0);
    works.processes.awaitStart(4).exit(0);

    assertThat(told(feed, 8)).containsExactly("1.e failed two", "2.s start two", "2.5 two: gone",
        "2.e succeeded two", "3.s start one", "3.e succeeded one", "end failed");
    assertThat(feed.isOver()).isTrue();
    assertThat(feed.next()).isEmpty();
  }

  @Test
  @DisplayName("A feed resumed after any event gives exactly the rest, from the record and the logs alone")
  void resumed() {
    RunHandle handle = works.accepted(TestExecutor.request("deploy", "r1"));
    works.processes.awaitStart(1).print("a\nb\n\nc");
    works.processes.awaitStart(1).exit(0);
    works.processes.awaitStart(2).print("x".repeat(70_000) + "\n");
    works.processes.awaitStart(2).exit(0);
    handle.await();
    List<String> all = told(RunFeed.of(handle, works.processes), 100);

    assertThat(all).hasSize(11).startsWith("0.s start one", "0.2 one: a", "0.4 one: b", "0.5 one: ", "0.6 one: c",
        "0.e succeeded one", "1.s start two").endsWith("1.e succeeded two", "end succeeded");
    for (int i = 0; i < all.size(); i++) {
      String id = all.get(i).substring(0, all.get(i).indexOf(' '));
      assertThat(told(RunFeed.after(id, handle, works.processes), 100)).isEqualTo(all.subList(i + 1, all.size()));
    }
    assertThat(told(RunFeed.after("nonsense", handle, works.processes), 100)).isEqualTo(all);
  }

  @Test
  @DisplayName("A line of more than 64 KiB is split between characters, whatever the size of the last ones")
  void longLine() {
    RunHandle handle = works.accepted(TestExecutor.request("deploy", "r1"));
    String text = "x" + "żó€😀".repeat(20_000);
    works.processes.awaitStart(1).print(text + "\n");
    works.processes.awaitStart(1).exit(0);
    works.processes.awaitStart(2).print("xx" + text + "\n");
    works.processes.awaitStart(2).exit(0);
    handle.await();
    StringBuilder lines = new StringBuilder();
    RunFeed feed = RunFeed.of(handle, works.processes);
    while (!feed.isOver()) {
      feed.next().stream().filter(RunFeed.Line.class::isInstance)
          .forEach(event -> lines.append(((RunFeed.Line) event).text()));
    }

    assertThat(lines.toString().equals(text + "xx" + text)).isTrue();
  }

  @Test
  @DisplayName("A feed of sizes sends the size after each growth and always the last one, and resumes like one of lines")
  void sizes() {
    RunHandle handle = works.accepted(TestExecutor.request("deploy", "r1"));
    RunFeed feed = RunFeed.of(handle, works.processes).withSizesOnly();
    ManualProcesses.Hand one = works.processes.awaitStart(1);
    assertThat(told(feed, 1)).containsExactly("0.s start one");
    one.print("hel");
    assertThat(told(feed, 1)).containsExactly("0.3 one has 3");
    one.print("lo\nw");
    one.print("orld\n");
    assertThat(told(feed, 1)).containsExactly("0.12 one has 12");
    one.print("end");
    one.exit(0);
    works.processes.awaitStart(2).exit(0);
    handle.await();
    List<String> rest = List.of("0.15 one has 15", "0.e succeeded one", "1.s start two", "1.e succeeded two",
        "end succeeded");
    assertThat(told(feed, 5)).isEqualTo(rest);
    assertThat(told(RunFeed.after("0.12", handle, works.processes).withSizesOnly(), 5)).isEqualTo(rest);
    assertThat(told(RunFeed.of(handle, works.processes).withSizesOnly(), 6)).startsWith("0.s start one",
        "0.15 one has 15", "0.e succeeded one");
  }

  @Test
  @DisplayName("A feed that reads a copy waits for the rest of an ended step's output, and has the ids of the others")
  void lateCopy() {
    RunHandle handle = works.accepted(TestExecutor.request("deploy", "r1"));
    long[] copied = {3};
    RunFeed feed = RunFeed.of(handle, new StepLogs() {
      @Override
      public Output read(RequestId id, String log, long from, int maxBytes) {
        return works.processes.read(id, log, from, Math.clamp(copied[0] - from, 0, maxBytes));
      }

      @Override
      public long size(RequestId id, String log) {
        return Math.min(copied[0], works.processes.size(id, log));
      }
    });
    works.processes.awaitStart(1).print("a\nbc\nd");
    works.processes.awaitStart(1).exit(0);
    works.processes.awaitStart(2);
    assertThat(told(feed, 2)).containsExactly("0.s start one", "0.2 one: a");
    copied[0] = 6;
    handle.wake();
    assertThat(told(feed, 3)).containsExactly("0.5 one: bc", "0.6 one: d", "0.e succeeded one", "1.s start two");
    works.processes.awaitStart(2).exit(0);
  }

  @Test
  @DisplayName("A watcher that is woken without an event gets none, and continues to watch")
  void woken() throws InterruptedException {
    RunHandle handle = works.accepted(TestExecutor.request("deploy", "r1"));
    works.processes.awaitStart(1);
    RunFeed feed = RunFeed.of(handle, works.processes);
    assertThat(told(feed, 1)).containsExactly("0.s start one");
    AtomicBoolean told = new AtomicBoolean();
    Thread waking = Thread.ofVirtual().start(() -> {
      while (!told.get()) {
        handle.wake();
        Thread.onSpinWait();
      }
    });

    assertThat(feed.next()).isEmpty();
    assertThat(feed.isOver()).isFalse();
    told.set(true);
    waking.join();
  }

  /** Takes batches until there are enough events, or no more. */
  private static List<String> told(RunFeed feed, int count) {
    List<String> told = new ArrayList<>();
    while (told.size() < count && !feed.isOver()) {
      feed.next().forEach(event -> told.add(word(event)));
    }
    return told;
  }

  private static String word(RunFeed.Event event) {
    return switch (event) {
      case RunFeed.StepStarted(String id, var step) -> id + " start " + step.name();
      case RunFeed.Line(String id, var step, String text) -> id + " " + step.name() + ": " + text;
      case RunFeed.OutputSize(String id, var step, long size) -> id + " " + step.name() + " has " + size;
      case RunFeed.OutputMissing(var step, var missing) -> step.name() + " lacks " + missing.from();
      case RunFeed.StepFinished(String id, var step) -> id + " " + step.status() + " " + step.name();
      case RunFeed.Heartbeat _ -> "heartbeat";
      case RunFeed.HeartbeatFailed(var failure) -> "heartbeat failed " + failure.consecutiveFailures();
      case RunFeed.RunFinished(String id, var run) -> id + " " + run.status();
    };
  }
}
