package fleet.tower.hammer;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentSkipListMap;

import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.SystemTime;

/** A client that makes one move after the other until the test ends, also after its service was killed. */
abstract class HammerClient implements Runnable {
  private static final Duration PAUSE_WITHOUT_SERVICE = Duration.ofMillis(100);

  final String id;
  final Random random;
  final Scheduler scheduler = SystemTime.scheduler();
  private final Map<String, Integer> answers = new ConcurrentSkipListMap<>();
  private final Map<String, Integer> faults = new ConcurrentSkipListMap<>();
  private volatile boolean isOver;

  HammerClient(String id) {
    this.id = id;
    this.random = new Random(id.hashCode());
  }

  /** One move; throws if the service ends during a call. */
  abstract void move() throws IOException, InterruptedException;

  @Override
  public final void run() {
    try {
      while (!isOver) {
        try {
          move();
        } catch (IOException serviceIsGone) {
          count("away");
          scheduler.pause(PAUSE_WITHOUT_SERVICE);
        }
      }
    } catch (InterruptedException goesHome) {
      // The test has ended.
    }
  }

  /** Ends it after its present move. */
  final void end() {
    isOver = true;
  }

  final void count(String answer) {
    answers.merge(answer, 1, Integer::sum);
  }

  final void fault(String what) {
    faults.merge(what, 1, Integer::sum);
  }

  /** The number of attempts by their result. */
  final Map<String, Integer> answers() {
    return answers;
  }

  /** The number of results that must never occur. */
  final Map<String, Integer> faults() {
    return faults;
  }
}
