package fleet.tower.audit.jsonl;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.audit.AuditLog;
import fleet.tower.audit.AuditTrail;
import fleet.tower.harness.Await;
import fleet.tower.harness.JavaProcess;
import fleet.tower.platform.time.ManualTime;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.SystemTime;

/** Tests of following with real file watches and files that other processes write. */
class FollowingTest {
  private static final AuditTrail.Query NEW = new AuditTrail.Query(null, null, null, null, null);
  private final Path directory;
  private final LinkedBlockingQueue<String> told = new LinkedBlockingQueue<>();
  private final LinkedBlockingQueue<String> begun = new LinkedBlockingQueue<>();
  private final List<CompletableFuture<Void>> followers = new ArrayList<>();
  private volatile boolean isOver;

  FollowingTest(@TempDir Path temp) {
    directory = temp.resolve("logs/audit");
  }

  @AfterEach
  void end() {
    isOver = true;
    followers.forEach(CompletableFuture::join);
  }

  private void follow(Scheduler scheduler) throws InterruptedException {
    AuditTrail trail = new AuditFiles(directory, scheduler, _ -> {}).trail();
    followers.add(CompletableFuture.runAsync(() -> trail.follow(NEW, null, new AuditTrail.Reader() {
      @Override
      public void begin(String place) {
        begun.add(place);
      }

      @Override
      public boolean take(AuditTrail.Entry entry, String place) {
        told.add(String.valueOf(entry.requestId()));
        return !isOver;
      }

      @Override
      public boolean wantsMore() {
        return !isOver;
      }
    }), Thread::startVirtualThread));
    begun.take();
  }

  private AuditLog log() {
    return new AuditFiles(directory, SystemTime.scheduler(), _ -> {}).log();
  }

  private Process writer(String name, int events) throws IOException {
    return new ProcessBuilder(
        JavaProcess.command(AuditWriter.class, directory.toString(), name, String.valueOf(events)))
        .redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  @Test
  @DisplayName("LK-32 the kernel wakes a follower without any time passing for the poll")
  void wokenByTheKernel() throws Exception {
    Files.createDirectories(directory);
    ManualTime standsStill = new ManualTime();
    follow(standsStill);
    for (int i = 0; i < 20; i++) {
      log().write(List.of(Events.acquired("r" + i, Events.AT.plus(Duration.ofHours(i)))));
      assertThat(told.poll(120, TimeUnit.SECONDS)).isEqualTo("r" + i);
    }
    isOver = true;
    Await.until("the end of the follower, which may not have begun its pause yet", () -> {
      standsStill.advance(Duration.ofSeconds(1));
      return followers.stream().allMatch(CompletableFuture::isDone);
    });
  }

  @Test
  @DisplayName("LK-32 a log is followed even if its directory is created later, removed and created again")
  void directoryComesAndGoes() throws Exception {
    follow(SystemTime.scheduler());
    log().write(List.of(Events.acquired("r1", Events.AT)));
    assertThat(told.poll(120, TimeUnit.SECONDS)).isEqualTo("r1");
    for (Path file : List.of(directory.resolve("audit-2025-12-18.jsonl"), directory)) {
      Files.delete(file);
    }
    log().write(List.of(Events.acquired("r2", Events.AT)));
    assertThat(told.poll(120, TimeUnit.SECONDS)).isEqualTo("r2");
  }

  @Test
  @DisplayName("LK-32 LK-B18 three processes write at once: each event is received once, those of one process in order")
  void processes() throws Exception {
    int events = 500;
    follow(SystemTime.scheduler());
    List<Process> writers = List.of(writer("a", events), writer("b", events), writer("c", events));

    Map<String, Integer> next = new HashMap<>();
    for (int i = 0; i < 3 * events; i++) {
      String event = told.poll(120, TimeUnit.SECONDS);
      assertThat(event).as("event " + i).isNotNull();
      for (int line = 1; line < AuditWriter.LINES; line++) {
        assertThat(told.poll(120, TimeUnit.SECONDS)).as("the lines of one write come together").isEqualTo(event);
      }
      String name = event.substring(0, 1);
      assertThat(event).isEqualTo(name + "-" + next.getOrDefault(name, 0));
      next.merge(name, 1, Integer::sum);
    }
    for (Process writer : writers) {
      assertThat(writer.waitFor()).isZero();
    }
    log().write(List.of(Events.acquired("last", Events.AT)));
    assertThat(told.poll(120, TimeUnit.SECONDS)).isEqualTo("last");
  }
}
