package fleet.tower.home;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Extent;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.harness.ServiceProcess;
import fleet.tower.harness.TestRelease;
import fleet.tower.lock.ConcurrentCalls;
import fleet.tower.service.config.TestService;

/** A service that only runs intents, so that nothing else writes to its home. */
@DisplayName("What a run leaves in its home")
@Timeout(1800)
@ProofsProfile
class HomeGrowthTest {
  private static final int CLIENTS = 4;
  /** Enough for the log of SQLite to be copied twice. */
  private static final int RUNS = Extent.of(800, 30_000);
  private static final long MOST_OF_LOG = 64L << 20;
  /** In the database and the journal. */
  private static final long MOST_BYTES = 6 * 1024;
  private static final long MOST_AUDITED = 2 * 1024;
  /** A directory and the output of its step. */
  private static final long MOST_INODES = 2;
  /** Connections and threads that depend on the load, not on the number of runs. */
  private static final long MOST_DESCRIPTORS = 40;

  private final Path home;
  private final Path printed;

  HomeGrowthTest(@TempDir Path directory) {
    home = directory.resolve("home");
    printed = directory.resolve("printed");
  }

  /** The sizes that may grow with runs. */
  private record Extents(long database, long log, long journal, long audited, long inodes, long descriptors) {
    static Extents of(Path home, Process service) throws IOException {
      try (Stream<Path> runs = Files.walk(home.resolve("logs/runs"));
          Stream<Path> open = Files.list(Path.of("/proc/" + service.pid() + "/fd"))) {
        return new Extents(size(home.resolve("state/tower.db")), size(home.resolve("state/tower.db-wal")),
            size(home.resolve("logs/locks/.journal")), sizeOf(home.resolve("logs/audit")), runs.count(), open.count());
      }
    }

    private static long size(Path file) {
      try {
        return Files.size(file);
      } catch (NoSuchFileException e) {
        return 0;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private static long sizeOf(Path directory) throws IOException {
      try (Stream<Path> files = Files.list(directory)) {
        return files.mapToLong(Extents::size).sum();
      }
    }
  }

  private void run(HttpClient client, String url, int runs) throws Exception {
    String token = Files.readString(home.resolve("state/token")).strip();
    List<ConcurrentCalls.Work<Boolean>> clients = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      HttpRequest request = HttpRequest.newBuilder(URI.create(url + "/intents/load"))
          .header("Authorization", "Bearer " + token).header("Content-Type", "application/json")
          .POST(BodyPublishers.ofString("{\"params\":{\"name\":\"c" + i + "\"}}")).build();
      clients.add(() -> {
        for (int done = 0; done < runs / CLIENTS; done++) {
          HttpResponse<String> answer = client.send(request, BodyHandlers.ofString());
          assertThat(answer.body()).contains("\"status\":\"succeeded\"");
        }
        return true;
      });
    }
    ConcurrentCalls.call(clients);
  }

  @Test
  @DisplayName("At most 6 kB in database and journal, 2 kB of audit log and two inodes; the log of SQLite stays below "
      + "64 MiB")
  void leaves() throws Exception {
    TestService.declare(home, "load", """
        mode: mutate
        params: { name: { type: string, required: true } }
        controls: { lock: "load-${params.name}" }
        steps: [{ name: print, run: [echo, hello] }]
        """);
    ProcessBuilder serve = new ProcessBuilder(TestRelease.command("serve", List.of(), "serve", "--port", "0"))
        .redirectErrorStream(true).redirectOutput(printed.toFile());
    serve.environment().put("TOWER_HOME", home.toString());
    serve.environment().put("TOWER_LOCK_INSECURE_DIRECTORY", "true");
    Process service = serve.start();
    try (HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
      String url = ServiceProcess.awaitReady(service, printed, printed).group(1);
      run(client, url, 100);
      Extents before = Extents.of(home, service);

      run(client, url, RUNS);

      Extents after = Extents.of(home, service);
      System.out.println(RUNS + " runs: " + before + ", then " + after);
      assertThat(after.log()).isLessThan(MOST_OF_LOG);
      // What is still in the log goes to the same pages, so the database alone is its growth; the journal is replaced.
      assertThat(after.database() - before.database() + Math.max(0, after.journal() - before.journal()))
          .isLessThan(RUNS * MOST_BYTES);
      assertThat(after.audited() - before.audited()).isLessThan(RUNS * MOST_AUDITED);
      assertThat(after.inodes() - before.inodes()).isEqualTo(RUNS * MOST_INODES);
      assertThat(after.descriptors()).isLessThan(before.descriptors() + MOST_DESCRIPTORS);
    } finally {
      service.destroyForcibly().waitFor();
    }
  }
}
