package fleet.tower.hammer;

import static fleet.tower.hammer.HammerCalls.json;
import static java.net.HttpURLConnection.HTTP_CREATED;
import static java.net.HttpURLConnection.HTTP_OK;

import java.io.FileOutputStream;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import fleet.tower.lease.LeaseName;
import fleet.tower.lock.Competitor;
import fleet.tower.platform.time.FineClock;

/**
 * A client that collects every request id and actor that the service shows, and uses the ids to enter, renew and
 * release the locks of other clients and of runs, its own ones included, sometimes on behalf of their actors. It holds a
 * free lock for a moment and records that, like an honest client.
 */
final class HostileClient extends HammerClient {
  private static final int TTL_SECONDS = 2;
  private static final int REMEMBERED = 12;
  private static final int USES_OF_A_RUN = 5;
  private static final Pattern REQUEST = Pattern.compile("\"request_id\":\"([^\"]+)\"");
  private static final Pattern ACTOR = Pattern.compile("\"actor\":\"([^\"]+)\"");
  private static final Pattern ERROR = Pattern.compile("\"error\":\"([^\"]+)\"");
  private static final Pattern TOKEN = Pattern.compile("\"fencing_token\":(\\d+)");

  private final HammerCalls calls;
  private final Path histories;
  private final List<String> seen = new ArrayList<>();
  /** The requests by which it may hold a lock, because the service was killed before it answered. */
  private final Set<String> unknown = new HashSet<>();
  /** The requests that the last list of locks showed as their holders, by name. */
  private Map<String, String> holders = Map.of();
  /** The actor that was shown last. */
  private String actor = "operator";
  private int runs;

  HostileClient(String id, HammerCalls calls, Path histories) {
    super(id);
    this.calls = calls;
    this.histories = histories;
  }

  @Override
  void move() throws IOException, InterruptedException {
    look(switch (random.nextInt(6)) {
      case 0 -> "/runs?limit=10";
      case 1 -> "/audit?limit=20";
      default -> "/locks";
    });
    attack(Competitor.NAMES.get(random.nextInt(Competitor.NAMES.size())));
  }

  private void look(String path) throws IOException, InterruptedException {
    HttpResponse<String> shown = call("GET", path, "");
    collect(shown);
    holders = json(shown.body()).objects("locks").stream().filter(lock -> lock.text("request_id").isPresent())
        .collect(Collectors.toMap(lock -> lock.text("lock_name").orElseThrow(),
            lock -> lock.text("request_id").orElseThrow()));
  }

  private void collect(HttpResponse<String> response) {
    Matcher ids = REQUEST.matcher(response.body());
    while (ids.find()) {
      seen.remove(ids.group(1));
      if (!unknown.contains(ids.group(1))) {
        seen.add(ids.group(1));
      }
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
    String any = seen.get(random.nextInt(seen.size()));
    String holder = holders.getOrDefault(name.value(), any);
    String request = random.nextBoolean() || unknown.contains(holder) ? any : holder;
    String body = "{\"request_id\":\"" + request + "\"";
    switch (random.nextInt(13)) {
      case 12 -> useOwnRun(name);
      case 0 -> ask(name, "{\"params\":{\"lock\":\"" + name + "\"},\"request_id\":\"" + request + "\"" + ends());
      case 1, 2, 3 -> enter(name, request, body);
      case 4, 5, 6, 7 -> judge("release", call("DELETE", "/locks/" + name + "?request_id=" + request,
          ""));
      default -> judge("renew", call("POST", "/locks/" + name + "/heartbeat", body + "}"));
    }
  }

  /** The run's steps record themselves when they held the lock. */
  private void ask(LeaseName name, String body) throws IOException, InterruptedException {
    HttpResponse<String> response = call("POST", "/intents/hold", body);
    count("run " + name + " " + response.statusCode());
    collect(response);
  }

  /** Has a run of its own, and uses its id as if it were a client's; nobody but the run's executor may do that. */
  private void useOwnRun(LeaseName name) throws IOException, InterruptedException {
    String run = id + "-run-" + ++runs;
    HttpResponse<String> begun = call("POST", "/intents/hold", "{\"params\":{\"lock\":\"" + name
        + "\"},\"request_id\":\"" + run + "\",\"wait_seconds\":5}", "Prefer", "respond-async");
    count("own run " + begun.statusCode());
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
    if (error.find()) {
      count(what + " of own run " + error.group(1));
    } else {
      fault("foreign: " + what + " of a run");
    }
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
    unknown.add(request);
    HttpResponse<String> response = call("POST", "/locks/" + name, body + ",\"ttl_seconds\":" + TTL_SECONDS
        + (random.nextInt(4) == 0 ? ",\"wait_seconds\":1}" : "}"));
    judge("enter", response);
    collect(response);
    Matcher given = TOKEN.matcher(response.body());
    if (response.statusCode() != HTTP_CREATED || !given.find()) {
      unknown.remove(request);
      return;
    }
    try (FileOutputStream history = new FileOutputStream(histories.resolve(id + "-" + name).toFile(), true)) {
      write(history, "enter " + given.group(1) + " " + FineClock.nanos() + " "
          + (begun + Duration.ofSeconds(TTL_SECONDS).toNanos()) + " false");
      scheduler.pause(Duration.ofMillis(random.nextInt(8)));
      write(history, "exit " + given.group(1) + " " + FineClock.nanos() + " 0 false");
    }
    count("gave back " + call("DELETE", "/locks/" + name + "?request_id=" + request, "").statusCode());
    unknown.remove(request);
  }

  /** This client holds no lock when it asks, so a lock that it is granted as its own is another client's. */
  private void judge(String what, HttpResponse<String> response) {
    if (response.statusCode() == HTTP_OK) {
      fault("foreign: " + what);
    } else {
      count(what + " " + response.statusCode());
    }
  }

  private void write(FileOutputStream history, String line) throws IOException {
    history.write((line + " " + id + "\n").getBytes(StandardCharsets.UTF_8));
  }

  private HttpResponse<String> call(String method, String path, String body, String... headers)
      throws IOException, InterruptedException {
    String[] all = Arrays.copyOf(headers, headers.length + (random.nextBoolean() ? 2 : 0));
    if (all.length > headers.length) {
      all[headers.length] = "X-Actor";
      all[headers.length + 1] = actor;
    }
    return calls.call(method, path, body, all);
  }
}
