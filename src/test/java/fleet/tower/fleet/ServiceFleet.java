package fleet.tower.fleet;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import fleet.tower.harness.Await;
import fleet.tower.harness.Installation;
import fleet.tower.harness.ServiceProcess;
import fleet.tower.harness.TestFiles;
import fleet.tower.lock.file.ChildJvm;
import fleet.tower.platform.time.SystemTime;

/** Real services on one PostgreSQL, each with a home of its own and the same intents, behind a {@link RandomProxy}. */
final class ServiceFleet implements AutoCloseable {
  private static final Duration BETWEEN_ATTEMPTS = Duration.ofMillis(100);
  private static final Duration ANSWER_WITHIN = Duration.ofSeconds(20);

  private final List<Host> hosts = new ArrayList<>();
  private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final RandomProxy proxy;
  private final String token;

  /**
   * Starts it.
   *
   * @param databases the URL of the database, as each host knows it
   * @param prepare writes intents and configuration into a home
   */
  ServiceFleet(Path directory, long seed, List<String> databases, Consumer<Path> prepare) {
    for (String database : databases) {
      Host host = new Host(directory.resolve("host" + hosts.size()), "tower-0" + (hosts.size() + 1), database);
      prepare.accept(host.tower.home());
      hosts.add(host);
      host.start();
    }
    token = TestFiles.text(hosts.getFirst().tokenFile()).strip();
    proxy = new RandomProxy(0, seed, hosts.stream().<Supplier<String>>map(host -> () -> host.url).toList());
    System.out.println("a fleet of " + hosts.size() + " services, seed " + seed);
  }

  /** A host of the fleet. */
  static final class Host {
    private final Installation tower;
    private final Path directory;
    private volatile @Nullable Process process;
    private volatile String url = "";
    private int starts;

    Host(Path directory, String name, String database) {
      this.directory = directory;
      tower = new Installation(directory).with("TOWER_DATABASE_URL", database).with("TOWER_HOST_ID", name);
    }

    void start() {
      Path out = directory.resolve("out" + starts++);
      Path err = directory.resolve("err");
      try {
        Process started = tower.start(List.of(tower.launcher().toString(), "serve", "--port", "0"), out, err);
        process = started;
        url = ServiceProcess.awaitReady(started, out, err).group(1);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    Process process() {
      return requireNonNull(process);
    }

    String url() {
      return url;
    }

    Installation tower() {
      return tower;
    }

    /** Kills the service with SIGKILL. */
    void kill() {
      process().destroyForcibly();
      Await.exitOf(process());
    }

    /** Stops the process, and continues it later. */
    void stopFor(Duration time) {
      suspend();
      SystemTime.scheduler().pause(time);
      resume();
    }

    /** Stops the process; what it has started goes on. */
    void suspend() {
      ChildJvm.signal(process(), "STOP");
    }

    void resume() {
      ChildJvm.signal(process(), "CONT");
    }

    private Path tokenFile() {
      return tower.home().resolve("state/token");
    }
  }

  List<Host> hosts() {
    return hosts;
  }

  String url() {
    return proxy.url();
  }

  String token() {
    return token;
  }

  /** The number of requests that each host has received. */
  List<Integer> requests() {
    return proxy.requests();
  }

  /** Calls until a host answers: no lost answer, refusal for lack of a host or of the database is an answer. */
  HttpResponse<String> call(String method, String path, String body) {
    return call(url(), method, path, body);
  }

  /** The same at one host. */
  HttpResponse<String> call(Host host, String method, String path, String body) {
    return call(host.url, method, path, body);
  }

  private HttpResponse<String> call(String url, String method, String path, String body) {
    List<HttpResponse<String>> answers = new ArrayList<>();
    Await.until("an answer to " + method + " " + path, () -> {
      try {
        HttpResponse<String> answer = http.send(HttpRequest.newBuilder(URI.create(url + path))
            .timeout(ANSWER_WITHIN).header("Authorization", "Bearer " + token)
            .header("Content-Type", "application/json").header("Prefer", "respond-async")
            .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body)).build(),
            BodyHandlers.ofString());
        return !List.of(429, 500, 502, 503).contains(answer.statusCode()) && answers.add(answer);
      } catch (IOException lost) {
        SystemTime.scheduler().pause(BETWEEN_ATTEMPTS);
        return false;
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    });
    return answers.getFirst();
  }

  @Override
  public void close() {
    proxy.close();
    hosts.stream().map(host -> host.process).filter(Objects::nonNull).forEach(Await::kill);
    http.shutdownNow();
  }
}
