package fleet.tower.platform.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Semaphore;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("Those who write take turns")
@Timeout(60)
class TurnsTest {
  private final List<Integer> together = Collections.synchronizedList(new ArrayList<>());
  private final List<Boolean> interrupted = Collections.synchronizedList(new ArrayList<>());
  private final Semaphore work = new Semaphore(0);
  private final Turns turns = new Turns(these -> {
    work.acquireUninterruptibly();
    together.add(these.size());
    these.forEach(Turn::succeed);
  });

  /** A thread that takes a turn and stands in the line now. */
  private Thread inLine() {
    Thread thread = Thread.ofPlatform().daemon().start(() -> {
      Turn<Integer> turn = new Turn<>(true, _ -> 0);
      turns.take(turn);
      if (turn.isDone()) {
        interrupted.add(Thread.interrupted());
      }
    });
    while (thread.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    return thread;
  }

  @Test
  @DisplayName("Who comes alone works at once; who comes meanwhile is done together with the others, 64 at most")
  void doneTogether() throws InterruptedException {
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 1 + 64 + 6; i++) {
      threads.add(inLine());
    }

    work.release(3);
    for (Thread thread : threads) {
      thread.join();
    }

    assertThat(together).containsExactly(1, 64, 6);
    assertThat(interrupted).hasSize(71).containsOnly(false);
  }

  @Test
  @DisplayName("An interrupt ends no waiting, and is not forgotten")
  void interruptIsKept() throws InterruptedException {
    Thread first = inLine();
    Thread second = inLine();
    second.interrupt();

    work.release(2);
    first.join();
    second.join();

    assertThat(together).containsExactly(1, 1);
    assertThat(interrupted).containsExactlyInAnyOrder(false, true);
  }
}
