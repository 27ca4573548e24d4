package fleet.tower.lock.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.function.IntUnaryOperator;

import fleet.tower.harness.TestFiles;
import fleet.tower.harness.TestHome;

/**
 * The order in which waiters got a lock, from a file to which the command of each appends a line. A waiter that is
 * suspended while the lock is free may be overtaken after a second; in a shorter time only the next in line gets it.
 */
public final class RunOrder {
  private static final long OVERTAKING_NANOS = 1_000_000_000;

  private final Path file;
  private final long begunNanos;

  /** The order from now on, right before the lock is released for the first of them. */
  public RunOrder(Path file) {
    this.file = file;
    this.begunNanos = Math.multiplyExact(TestHome.now().toEpochMilli(), 1_000_000L);
  }

  /** A line of one waiter: its number and the time in nanoseconds. */
  private record Entry(int number, long nanos) {
    static Entry of(String line) {
      String[] words = line.split(" ", 2);
      return new Entry(Integer.parseInt(words[0]), Long.parseLong(words[1]));
    }
  }

  /** The shell command that appends the line of a waiter. */
  public static String note(int number, Path file) {
    return "echo " + number + " $(date +%s%N) >>'" + file + "'";
  }

  private List<Entry> entries() {
    return TestFiles.textIfAny(file).lines().map(Entry::of).toList();
  }

  public List<Integer> numbers() {
    return entries().stream().map(Entry::number).toList();
  }

  /**
   * Fails where one that was not next got the lock, and quickly.
   *
   * @param place the place of a number in line; several may have the same one
   */
  public void assertInOrder(IntUnaryOperator place) {
    List<Entry> entries = entries();
    long before = begunNanos;
    for (int i = 0; i < entries.size(); i++) {
      Entry entry = entries.get(i);
      if (entry.nanos() - before <= OVERTAKING_NANOS) {
        int next = entries.stream().skip(i).mapToInt(one -> place.applyAsInt(one.number())).min().orElseThrow();
        assertThat(place.applyAsInt(entry.number())).as("%s", entries).isEqualTo(next);
      }
      before = entry.nanos();
    }
  }
}
