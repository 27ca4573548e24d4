package fleet.tower.cli;

import static java.net.HttpURLConnection.HTTP_OK;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import fleet.tower.lease.LeaseName;
import fleet.tower.lock.Competitor;
import fleet.tower.platform.time.FineClock;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.system.SystemTime;

/**
 * A client that collects every request id and actor that the service shows, and uses the ids to enter, renew and
 * release the locks of other clients and of runs, its own ones included, sometimes on behalf of their actors. It holds a
 * free lock for a moment and records that, like an honest client.
 */
final class HostileClient implements Runnable {
  private static final int TTL_SECONDS = 2;
  private static final int REMEMBERED = 12;
  private static final int USES_OF_A_RUN = 5;
  private static final Pattern REQUEST = Pattern.compile("\"request_id\":\"([^\"]+)\"");
  private static final Pattern ACTOR = Pattern.compile("\"actor\":\"([^\"]+)\"");
  private static final Pattern ERROR = Pattern.compile("\"error\":\"([^\"]+)\"");
  private static final Pattern TOKEN = Pattern.compile("\"fencing_token\":(\\d+)");

  private final Scheduler scheduler = SystemTime.scheduler();
  private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final String id;
  private final String url;
  private final String token;
  private final Path histories;
  private final Random random;
  private final List<String> seen = new ArrayList<>();
  private final Map<String, Integer> answers = new ConcurrentSkipListMap<>();
  /** The actor that was shown last. */
  private String actor = "operator";
  private int runs;
  private volatile boolean isOver;

  HostileClient(String id, String url, String token, Path histories) {
    this.id = id;
    this.url = url;
    this.token = token;
    this.histories = histories;
    this.random = new Random(id.hashCode());
  }

  void end() {
    isOver = true;
  }

  /** The number of attempts by their result; a result that must never occur begins with {@code foreign}. */
  Map<String, Integer> answers() {
    return answers;
  }

  @Override
  public void run() {
    try {
      while (!isOver) {
        look(switch (random.nextInt(6)) {
          case 0 -> "/runs?limit=10";
          case 1 -> "/audit?limit=20";
          default -> "/locks";
        });
        attack(Competitor.NAMES.get(random.nextInt(Competitor.NAMES.size())));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException goesHome) {
      // The test has ended.
    }
  }

  private void look(String path) throws IOException, InterruptedException {
    collect(call("GET", path, ""));
  }

  private void collect(HttpResponse<String> response) {
    Matcher ids = REQUEST.matcher(response.body());
    while (ids.find()) {
      seen.remove(ids.group(1));
      seen.add(ids.group(1));
    }
    Matcher actors = ACTOR.matcher(response.body());
    while (actors.find()) {
      actor = actors.group(1);
    }
    while (seen.size() > REMEMBERED) {
      seen.removeFirst();
    }
  }

  private void attack(LeaseName name) throws IOException, InterruptedException {
    if (seen.isEmpty()) {
      return;
    }
    String request = seen.get(random.nextInt(seen.size()));
    String body = "{\"request_id\":\"" + request + "\"";
    switch (random.nextInt(13)) {
      case 12 -> useOwnRun(name);
      case 0 -> ask(name, "{\"params\":{\"lock\":\"" + name + "\"},\"request_id\":\"" + request + "\"" + ends());
      case 1, 2, 3 -> enter(name, request, body);
      case 4, 5, 6, 7 -> count("release", "foreign release", call("DELETE", "/locks/" + name + "?request_id=" + request,
          ""));
      default -> count("renew", "foreign renewal", call("POST", "/locks/" + name + "/heartbeat", body + "}"));
    }
  }

  /** The run's steps record themselves when they held the lock. */
  private void ask(LeaseName name, String body) throws IOException, InterruptedException {
    HttpResponse<String> response = call("POST", "/intents/hold", body);
    answers.merge("run " + name + " " + response.statusCode(), 1, Integer::sum);
    collect(response);
  }

  /** Has a run of its own, and uses its id as if it were a client's; nobody but the run's executor may do that. */
  private void useOwnRun(LeaseName name) throws IOException, InterruptedException {
    String run = id + "-run-" + ++runs;
    HttpResponse<String> begun = call("POST", "/intents/hold", "{\"params\":{\"lock\":\"" + name
        + "\"},\"request_id\":\"" + run + "\",\"wait_seconds\":5}", "Prefer", "respond-async");
    answers.merge("own run " + begun.statusCode(), 1, Integer::sum);
    for (int i = 0; i < USES_OF_A_RUN; i++) {
      String body = "{\"request_id\":\"" + run + "\"";
      countOwn("renewal", call("POST", "/locks/" + name + "/heartbeat", body + "}"));
      countOwn("release", call("DELETE", "/locks/" + name + "?request_id=" + run, ""));
      countOwn("entry", call("POST", "/locks/" + name, body + "}"));
      countOwn("removal", call("POST", "/locks/" + name + "/force-release", "{\"reason\":\"mine\"}"));
    }
  }

  private void countOwn(String what, HttpResponse<String> response) {
    Matcher error = ERROR.matcher(response.body());
    answers.merge(error.find() ? what + " of own run " + error.group(1) : "foreign " + what + " of a run", 1,
        Integer::sum);
  }

  private String ends() {
    return switch (random.nextInt(3)) {
      case 0 -> ",\"wait_seconds\":1}";
      case 1 -> ",\"queue\":true}";
      default -> "}";
    };
  }

  private void enter(LeaseName name, String request, String body) throws IOException, InterruptedException {
    long begun = FineClock.nanos();
    HttpResponse<String> response = call("POST", "/locks/" + name, body + ",\"ttl_seconds\":" + TTL_SECONDS
        + (random.nextInt(4) == 0 ? ",\"wait_seconds\":1}" : "}"));
    count("enter", "foreign entry", response);
    collect(response);
    Matcher given = TOKEN.matcher(response.body());
    if (response.statusCode() != 201 || !given.find()) {
      return;
    }
    try (FileOutputStream history = new FileOutputStream(histories.resolve(id + "-" + name).toFile(), true)) {
      write(history, "enter " + given.group(1) + " " + FineClock.nanos() + " "
          + (begun + Duration.ofSeconds(TTL_SECONDS).toNanos()) + " false");
      scheduler.pause(Duration.ofMillis(random.nextInt(8)));
      write(history, "exit " + given.group(1) + " " + FineClock.nanos() + " 0 false");
    }
    answers.merge("gave back " + call("DELETE", "/locks/" + name + "?request_id=" + request, "").statusCode(), 1,
        Integer::sum);
  }

  /** This client holds no lock when it asks, so a lock that it is granted as its own is another client's. */
  private void count(String what, String foreign, HttpResponse<String> response) {
    answers.merge(response.statusCode() == HTTP_OK ? foreign : what + " " + response.statusCode(), 1, Integer::sum);
  }

  private void write(FileOutputStream history, String line) throws IOException {
    history.write((line + " " + id + "\n").getBytes(StandardCharsets.UTF_8));
  }

  private HttpResponse<String> call(String method, String path, String body, String... headers)
      throws IOException, InterruptedException {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + path));
    if (random.nextBoolean()) {
      request.header("X-Actor", actor);
    }
    return http.send((headers.length == 0 ? request : request.headers(headers))
        .header("Authorization", "Bearer " + token).header("Content-Type", "application/json")
        .timeout(Duration.ofMinutes(2))
        .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body)).build(),
        BodyHandlers.ofString());
  }
}
