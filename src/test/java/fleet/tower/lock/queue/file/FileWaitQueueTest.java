package fleet.tower.lock.queue.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.queue.WaitQueue;
import fleet.tower.lock.queue.WaitQueue.Place.Standing;
import fleet.tower.lock.queue.WaitQueue.WaitingRequest;
import fleet.tower.platform.Presence;
import fleet.tower.platform.disk.ProcessFiles;
import fleet.tower.platform.time.WakeUp;

@DisplayName("A queue consists of the tickets of live processes, in order")
class FileWaitQueueTest {
  private static final LeaseName PROD = new LeaseName("prod");
  private static final WaitingRequest WHO = new WaitingRequest(new RequestId("r"), "anna", "deploy",
      Instant.parse("2026-11-20T12:00:00Z"));
  private static final String DEAD = "0123456789abcdef01234567";

  private final List<String> warnings = new CopyOnWriteArrayList<>();
  private final Path directory;
  private final Path queue;
  private final Presence presence;
  private final WaitQueue line;

  FileWaitQueueTest(@TempDir Path temp) {
    directory = temp.resolve("logs/locks");
    queue = directory.resolve(".queue/prod");
    presence = new ProcessFiles(temp.resolve("state/processes")).open();
    line = open();
  }

  @AfterEach
  void end() {
    presence.close();
    assertThat(warnings).isEmpty();
  }

  private WaitQueue open() {
    return new WaitQueueFiles(directory, presence, warnings::add).open();
  }

  private WaitQueue.Place join(WaitQueue through) {
    return switch (through.join(PROD, WHO, new WakeUp())) {
      case WaitQueue.JoinOutcome.Joined(WaitQueue.Place place) -> place;
      case WaitQueue.JoinOutcome.Full() -> throw new AssertionError("the line is full");
    };
  }

  @Test
  @DisplayName("Reading an empty queue writes nothing")
  void looking() {
    assertThat(line.length(PROD)).isZero();
    assertThat(line.names()).isEmpty();
    assertThat(directory).doesNotExist();
  }

  @Test
  @DisplayName("Tickets of dead processes do not count, hold no place, and are removed by the first reader")
  void dead() throws IOException {
    Files.createDirectories(queue);
    Path ticket = Files.createFile(queue.resolve("0000000000000007-" + DEAD + "-1"));
    Path note = Files.createFile(queue.resolve("notes.txt"));
    assertThat(line.length(PROD)).isZero();
    assertThat(ticket).exists();

    WaitQueue.Place place = join(line);

    assertThat(place.standing(false)).isEqualTo(new Standing.First());
    assertThat(place.position()).isZero();
    assertThat(ticket).doesNotExist();
    assertThat(line.length(PROD)).isEqualTo(1);
    assertThat(line.names()).containsExactly(PROD);
    place.close();
    assertThat(note).exists();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 10, 99})
  @DisplayName("A check probes at most three processes, and a slow check of an unchanged queue none, however many wait")
  void cheapLooks(int others) throws IOException {
    AtomicInteger asked = new AtomicInteger();
    Files.createDirectories(queue);
    for (int i = 1; i <= others; i++) {
      Files.createFile(queue.resolve(String.format("%016d-%024x-1", i, i)));
    }
    try (Presence counting = new CountingPresence(presence, asked)) {
      WaitQueue counted = new WaitQueueFiles(directory, counting, warnings::add).open();
      WaitQueue.Place last = join(counted);
      asked.set(0);
      assertThat(last.standing(false)).isEqualTo(new Standing.BehindOthers(
          String.format("%016d-%024x-1", 1, 1), others));
      assertThat(asked.get()).isPositive().isLessThanOrEqualTo(3);
      last.close();
      try (Stream<Path> tickets = Files.list(queue)) {
        for (Path ticket : tickets.toList()) {
          Files.delete(ticket);
        }
      }

      WaitQueue.Place first = join(counted);
      for (int i = 1; i <= others; i++) {
        Files.createFile(queue.resolve(String.format("%016d-%024x-1", 100 + i, i)));
      }
      assertThat(first.standing(false)).isEqualTo(new Standing.First());
      asked.set(0);
      for (int look = 0; look < 50; look++) {
        assertThat(first.standing(true)).isEqualTo(new Standing.First());
      }
      assertThat(asked).hasValue(0);
      first.close();
    }
  }

  /** Reports all other processes as alive, and counts the probes. */
  private record CountingPresence(Presence real, AtomicInteger asked) implements Presence {
    @Override
    public String id() {
      return real.id();
    }

    @Override
    public boolean isAlive(String id) {
      asked.incrementAndGet();
      return true;
    }

    @Override
    public void close() {
      // The test closes the real one.
    }
  }

  private void ticket(String file, String content) throws IOException {
    Files.createDirectories(queue);
    Files.setLastModifiedTime(Files.writeString(queue.resolve(file), content),
        FileTime.from(Instant.parse("2026-11-20T11:59:58Z")));
  }

  @Test
  @DisplayName("The queue lists the requests of live waiters in order, of every process, and keeps their tickets "
      + "locked")
  void listed() throws IOException {
    try (Presence other = new ProcessFiles(directory.resolveSibling("other")).open();
        Presence both = new TwoPresences(presence, other)) {
      WaitQueue seen = new WaitQueueFiles(directory, both, warnings::add).open();
      assertThat(seen.list(PROD)).isEmpty();
      ticket("0000000000000001-" + other.id() + "-1", "r1\n{\"actor\":\"ben\",\"intent\":\"ship\","
          + "\"since\":\"2026-11-20T11:59:00Z\"}\n");
      ticket("0000000000000002-" + DEAD + "-1", "dead\n{}\n");
      ticket("0000000000000003-" + other.id() + "-2", "old\n");
      ticket("0000000000000004-" + other.id() + "-3", "");
      ticket("0000000000000005-" + other.id() + "-4", "not an id\n{}\n");
      WaitQueue.Place mine = join(seen);

      assertThat(seen.list(PROD)).containsExactly(
          new WaitingRequest(new RequestId("r1"), "ben", "ship", Instant.parse("2026-11-20T11:59:00Z")),
          new WaitingRequest(new RequestId("old"), null, null, Instant.parse("2026-11-20T11:59:58Z")), WHO);
      assertThat(line.list(PROD)).containsExactly(WHO);
      assertThat(isLocked(ownTicket())).isTrue();
      mine.close();
      assertThat(line.list(PROD)).isEmpty();
    }
  }

  private Path ownTicket() throws IOException {
    try (Stream<Path> tickets = Files.list(queue)) {
      return tickets.filter(file -> file.getFileName().toString().contains(presence.id())).findFirst().orElseThrow();
    }
  }

  /** Whether this process holds a lock on a file, as the kernel lists it. */
  private static boolean isLocked(Path file) throws IOException {
    String held = " " + ProcessHandle.current().pid() + " ";
    String inode = ":" + Files.getAttribute(file, "unix:ino") + " ";
    return Files.readAllLines(Path.of("/proc/locks")).stream()
        .anyMatch(line -> line.contains("POSIX") && line.contains(held) && line.contains(inode));
  }

  /** The processes of two directories. */
  private record TwoPresences(Presence own, Presence other) implements Presence {
    @Override
    public String id() {
      return own.id();
    }

    @Override
    public boolean isAlive(String id) {
      return id.equals(other.id()) || own.isAlive(id);
    }

    @Override
    public void close() {
      // The test closes the real ones.
    }
  }

  @Test
  @DisplayName("Files that are not tickets are ignored")
  void noTickets() throws IOException {
    Files.createDirectories(queue);
    for (String name : List.of("1-a-1", "000000000000000x-" + DEAD + "-1", "0000000000000001-ABC-1",
        "0000000000000001--1", "0000000000000001-" + DEAD + "-", "0000000000000001-" + DEAD + "-x", "-", "a",
        "0000000000000001_" + DEAD + "-1", "0000000000000001-" + DEAD + "-1234567890123456789",
        "0000000000000001-" + "a".repeat(65) + "-1")) {
      Files.createFile(queue.resolve(name));
    }
    WaitQueue.Place place = join(line);

    assertThat(place.standing(false)).isEqualTo(new Standing.First());
    assertThat(line.length(PROD)).isEqualTo(1);
    place.close();
  }

  @Test
  @DisplayName("A hundred dead tickets do not fill a queue")
  void fullOfTheDead() throws IOException {
    Files.createDirectories(queue);
    for (int i = 1; i <= 100; i++) {
      Files.createFile(queue.resolve(String.format("%016d-%s-%d", i, DEAD, i)));
    }
    WaitQueue.Place place = join(line);

    assertThat(place.standing(false)).isEqualTo(new Standing.First());
    assertThat(line.length(PROD)).isEqualTo(1);
    place.close();
    assertThat(queue).doesNotExist();
  }

  @Test
  @DisplayName("Only the first waiter of a process reads the queue; a leaving waiter makes room for the next, once")
  void places() {
    WaitQueue.Place first = join(line);
    WaitQueue.Place second = join(line);
    WaitQueue.Place third = join(line);
    assertThat(first.standing(false)).isEqualTo(new Standing.First());
    assertThat(second.standing(true)).isEqualTo(new Standing.BehindOwn());
    assertThat(List.of(first.position(), second.position(), third.position())).containsExactly(0, 1, 2);

    second.close();
    second.close();
    first.close();

    assertThat(third.standing(false)).isEqualTo(new Standing.First());
    assertThat(third.position()).isZero();
    third.close();
    assertThat(queue).doesNotExist();
  }

  @Test
  @DisplayName("A waiter that joins while the last one leaves may find the directory gone at any time, and "
      + "recreates it")
  void joinsAndLeaves() throws InterruptedException {
    WaitQueue second = open();
    List<Throwable> failures = new CopyOnWriteArrayList<>();
    List<Thread> threads = Stream.of(line, second, line, second).map(through -> Thread.ofPlatform().start(() -> {
      try {
        for (int i = 0; i < 500; i++) {
          WaitQueue.Place place = join(through);
          place.standing(true);
          place.close();
        }
      } catch (RuntimeException | Error e) {
        failures.add(e);
      }
    })).toList();
    for (Thread thread : threads) {
      thread.join();
    }

    assertThat(failures).isEmpty();
    assertThat(line.length(PROD)).isZero();
    assertThat(queue).doesNotExist();
  }
}
