package fleet.tower.lock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Await;
import fleet.tower.harness.Installation;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.harness.TestHome;

@DisplayName("Without inotify, waiting and following work by polling")
class WithoutInotifyTest {
  private static final List<String> WITHOUT_NOTICES = List.of("unshare", "-Ur", "sh", "-c",
      "echo 0 >/proc/sys/user/max_inotify_instances && exec \"$@\"", "sh");

  @TempDir
  Path directory;

  private Installation tower;

  @BeforeEach
  void start() {
    tower = new Installation(directory.resolve("release"));
    List<String> nothing = new ArrayList<>(WITHOUT_NOTICES);
    nothing.add("true");
    assumeTrue(tower.run(nothing).exit() == 0, "this host gives nobody a user namespace of their own");
    tower.tower("lock", "prod", "--request-id", "other");
  }

  private List<String> without(String line) {
    List<String> command = new ArrayList<>(WITHOUT_NOTICES);
    command.add(tower.launcher().toString());
    command.addAll(Arrays.asList(line.split(" ", -1)));
    return command;
  }

  private Process begin(String line) throws IOException {
    return tower.start(without(line), directory.resolve("out"), directory.resolve("err"));
  }

  private static int ticketsIn(Path queue) {
    String[] tickets = queue.toFile().list();
    return tickets == null ? 0 : tickets.length;
  }

  private String text(String file) {
    return TestHome.text(directory.resolve(file));
  }

  @Test
  @DisplayName("A waiter gets the free lock, and the doctor names the limit to raise")
  @ProofsProfile
  void waits() throws Exception {
    Process guard = begin("guard prod --wait 10m -- echo had it");
    Await.until("it waits", () -> text("err").contains("next in line"));

    tower.tower("unlock", "prod", "--request-id", "other");

    Await.exitOf(guard);
    assertThat(text("out")).isEqualTo("had it\n");
    assertThat(tower.run(without("doctor")).out()).contains("warn  inotify ", "so waiters and followers poll",
        "→ raise fs.inotify.max_user_instances and fs.inotify.max_user_watches (sysctl)\n");
  }

  @Test
  @DisplayName("Waiters in several processes get the lock in their order")
  @ProofsProfile
  void waitInOrder() throws Exception {
    List<Process> guards = new ArrayList<>();
    Path queue = tower.home().resolve("logs/locks/.queue/prod");
    try {
      for (int i = 1; i <= 4; i++) {
        List<String> command = without("guard prod --wait 10m -- sh -c");
        command.add(RunOrder.note(i, directory.resolve("order")));
        guards.add(tower.start(command));
        int count = i;
        Await.until("it is in the queue", () -> ticketsIn(queue) == count);
      }

      RunOrder order = new RunOrder(directory.resolve("order"));
      tower.tower("unlock", "prod", "--request-id", "other");

      for (Process guard : guards) {
        assertThat(Await.exitOf(guard)).isZero();
      }
      assertThat(order.numbers()).containsExactlyInAnyOrder(1, 2, 3, 4);
      order.assertInOrder(number -> number);
    } finally {
      guards.forEach(Await::kill);
    }
  }

  @Test
  @DisplayName("A follower of the log sees the next event, and is informed about the polling")
  @ProofsProfile
  void follows() throws Exception {
    Process follower = begin("audit --follow");
    try {
      Await.until("it follows", () -> text("err").contains("so the log is polled instead"));

      tower.tower("unlock", "prod", "--request-id", "other");

      Await.until("the event", () -> text("out").contains("\"event\":\"lock_released\""));
    } finally {
      Await.kill(follower);
    }
  }
}
