package fleet.tower.lock.queue.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Await;
import fleet.tower.harness.LineProcess;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.lease.FencingToken;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.LockStore;
import fleet.tower.lock.TestRequest;
import fleet.tower.lock.file.ChildJvm;
import fleet.tower.lock.file.FileLocks;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.SystemTime;

@DisplayName("Processes that wait for one lock get it in the order of their tickets, even if some fail")
class WaitingProcessesTest {
  private static final TestRequest HOLDER = TestRequest.by("req_holder", "prod");

  private final Scheduler scheduler = SystemTime.scheduler();
  private final List<LineProcess> processes = new ArrayList<>();
  private final Path home;
  private final Path history;
  private final Path queue;
  private final LockStore store;

  WaitingProcessesTest(@TempDir Path temp) throws IOException {
    home = temp.resolve("home");
    history = Files.createFile(temp.resolve("history"));
    queue = home.resolve("logs/locks/.queue/prod");
    store = new FileLocks(home.resolve("logs/locks"), true, SystemTime.source(), scheduler, _ -> true, _ -> {}).open();
  }

  @BeforeEach
  void hold() {
    assertThat(store.acquire(HOLDER.request())).isInstanceOf(AcquireOutcome.Granted.class);
  }

  @AfterEach
  void end() {
    processes.forEach(LineProcess::close);
    store.close();
  }

  private LineProcess process() {
    return process(true);
  }

  private LineProcess process(boolean hasTimers) {
    LineProcess process = new LineProcess(ChildJvm.command(WaiterMain.class,
        List.of(home.toString(), history.toString(), Boolean.toString(hasTimers))));
    processes.add(process);
    return process;
  }

  /** Waiters in processes of their own, which join one after the other. */
  private List<LineProcess> oneByOne(int count, long holdMillis) {
    List<LineProcess> waiters = IntStream.range(0, count).mapToObj(_ -> process()).toList();
    for (int i = 0; i < count; i++) {
      waiters.get(i).tell("w" + i + " " + holdMillis);
      awaitTickets(i + 1);
    }
    return waiters;
  }

  private void kill(LineProcess process) {
    process.process().destroyForcibly();
    ChildJvm.exitCode(process.process());
  }

  private void release() {
    store.release(HOLDER.name(), HOLDER.owner(), FencingToken.NONE);
  }

  private List<Path> tickets() {
    if (!Files.exists(queue)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(queue)) {
      return files.sorted(Comparator.comparing(Path::getFileName)).toList();
    } catch (IOException e) {
      return List.of();
    }
  }

  /** The waiters in the order of their tickets. */
  private List<String> order() {
    List<String> order = new ArrayList<>();
    try {
      for (Path ticket : tickets()) {
        order.add(Files.readString(ticket).lines().findFirst().orElse(""));
      }
    } catch (IOException e) {
      return List.of();
    }
    return order;
  }

  private List<String[]> history() {
    try {
      return Files.readAllLines(history).stream().map(line -> line.split(" ", -1)).toList();
    } catch (IOException e) {
      return List.of();
    }
  }

  private List<String> entered() {
    return history().stream().filter(line -> line[0].equals("enter")).map(line -> line[1]).toList();
  }

  private long exits() {
    return history().stream().filter(line -> line[0].equals("exit")).count();
  }

  private void awaitTickets(int count) {
    Await.until(count + " tickets", () -> tickets().size() == count);
  }

  private void awaitExits(int count) {
    Await.until(count + " exits", () -> exits() == count);
    Await.until("the lock is free", () -> !Files.exists(home.resolve("logs/locks/prod.lock")));
  }

  /** Lets time pass for one waiter, which then overtakes those before it. */
  private void passUntilExits(LineProcess waiter, int count) {
    Await.until(count + " exits", () -> {
      waiter.tell("pass 100");
      return exits() == count;
    });
    awaitExits(count);
  }

  /** The times from each release to the next grant, sorted. */
  private double[] handoverMillis() {
    List<String[]> lines = history();
    return IntStream.range(1, lines.size()).filter(i -> lines.get(i)[0].equals("enter"))
        .mapToDouble(i -> (Long.parseLong(lines.get(i)[2]) - Long.parseLong(lines.get(i - 1)[2])) / 1e6).sorted()
        .toArray();
  }

  @Test
  @DisplayName("LK-B19 eight processes with five waiters each: woken strictly in the order of tickets, one at a time")
  void inOrder() {
    List<LineProcess> eight = IntStream.range(0, 8).mapToObj(_ -> process(false)).toList();
    for (int i = 0; i < 40; i++) {
      eight.get(i % 8).tell("w" + i + " 3");
    }
    Await.until("40 tickets with names", () -> order().stream().filter(id -> !id.isEmpty()).count() == 40);
    List<String> order = order();

    release();
    awaitExits(40);

    assertThat(entered()).isEqualTo(order).doesNotHaveDuplicates().hasSize(40);
    List<String[]> lines = history();
    for (int i = 0; i < lines.size(); i++) {
      assertThat(lines.get(i)[0]).isEqualTo(i % 2 == 0 ? "enter" : "exit");
      assertThat(lines.get(i)[1]).isEqualTo(order.get(i / 2));
    }
    Await.until("the queue is gone", () -> !Files.exists(queue));
    double[] millis = handoverMillis();
    System.out.printf("hand-over between 8 processes: p50 %.2f ms%n", millis[millis.length / 2]);
  }

  @Test
  @DisplayName("Waiters killed with SIGKILL in the middle and at the head are skipped, and no waiter hangs")
  @ProofsProfile
  void killed() {
    List<LineProcess> waiters = oneByOne(5, 1);
    kill(waiters.get(0));
    kill(waiters.get(2));
    kill(waiters.get(3));

    release();
    awaitExits(2);

    assertThat(entered()).containsExactly("w1", "w4");
    Await.until("the queue is gone", () -> !Files.exists(queue));
  }

  @Test
  @DisplayName("A suspended head that does not take a free lock is overtaken, and served when it resumes")
  @ProofsProfile
  void stopped() {
    List<LineProcess> waiters = oneByOne(3, 1);
    ChildJvm.signal(waiters.getFirst().process(), "STOP");

    release();
    passUntilExits(waiters.get(1), 1);
    passUntilExits(waiters.get(2), 2);
    assertThat(entered()).containsExactly("w1", "w2");

    ChildJvm.signal(waiters.getFirst().process(), "CONT");
    awaitExits(3);
    assertThat(entered()).containsExactly("w1", "w2", "w0");
  }

  @Test
  @DisplayName("A lock file removed by rm wakes the first waiter")
  @ProofsProfile
  void plainRm() throws IOException {
    oneByOne(2, 1);

    ChildJvm.exitCode(new ProcessBuilder("rm", home.resolve("logs/locks/prod.lock").toString()).start());
    awaitExits(2);

    assertThat(entered()).containsExactly("w0", "w1");
  }

  @Test
  @DisplayName("Tickets and their directory deleted during waits: all waiters rejoin, and all are served")
  @ProofsProfile
  void deletedUnderEverybody() throws IOException {
    List<LineProcess> processes = IntStream.range(0, 3).mapToObj(_ -> process()).toList();
    for (int i = 0; i < 9; i++) {
      processes.get(i % 3).tell("w" + i + " 1");
    }
    awaitTickets(9);

    ChildJvm.exitCode(new ProcessBuilder("rm", "-rf", home.resolve("logs/locks/.queue").toString()).start());
    awaitTickets(9);
    release();
    awaitExits(9);

    assertThat(entered()).hasSize(9).doesNotHaveDuplicates();
    Await.until("the queue is gone", () -> !Files.exists(queue));
  }
}
