package fleet.tower.hammer;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import fleet.tower.lease.LeaseName;
import fleet.tower.lock.Competitor;
import fleet.tower.platform.time.FineClock;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.SystemTime;

/**
 * A client that competes for locks of a service: acquires one, holds it briefly, releases it, and records the interval
 * in which it could believe that it held the lock. It believes nothing that it cannot know.
 */
public final class ServiceClient implements Runnable {
  private static final int TTL_SECONDS = 2;
  private static final Pattern TOKEN = Pattern.compile("\"fencing_token\":(\\d+)");

  private final Scheduler scheduler = SystemTime.scheduler();
  private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final String id;
  private final Supplier<String> url;
  private final String token;
  private final Path histories;
  private final Random random;
  private final int longestHoldMillis;
  private volatile boolean isOver;

  /** @param url of the service, which is another one after it was killed */
  public ServiceClient(String id, Supplier<String> url, String token, Path histories) {
    this(id, url, token, histories, 8);
  }

  /** @param longestHoldMillis for how long it keeps a lock at most, unless it forgets itself */
  ServiceClient(String id, Supplier<String> url, String token, Path histories, int longestHoldMillis) {
    this.longestHoldMillis = longestHoldMillis;
    this.id = id;
    this.url = url;
    this.token = token;
    this.histories = histories;
    this.random = new Random(id.hashCode());
  }

  /** Ends it after its present round. */
  public void end() {
    isOver = true;
  }

  @Override
  public void run() {
    for (int round = 0; !isOver; round++) {
      LeaseName name = Competitor.NAMES.get(random.nextInt(Competitor.NAMES.size()));
      try (FileOutputStream history = new FileOutputStream(histories.resolve(id + "-" + name).toFile(), true)) {
        fight(name, "req_" + id + "_" + round, history);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  private void fight(LeaseName name, String request, FileOutputStream history)
      throws IOException, InterruptedException {
    long begun = FineClock.nanos();
    String answer;
    try {
      answer = call("POST", "/locks/" + name,
          "{\"request_id\":\"" + request + "\",\"ttl_seconds\":" + TTL_SECONDS + ",\"force_lock\":true}", 201);
    } catch (ConnectException nobodyIsThere) {
      write(history, "away 0 0 0 false");
      scheduler.pause(Duration.ofMillis(200));
      return;
    } catch (IOException nobodyKnows) {
      write(history, "unknown 0 0 0 false");
      scheduler.pause(Duration.ofMillis(100));
      return;
    }
    Matcher given = TOKEN.matcher(answer);
    if (!given.find()) {
      scheduler.pause(Duration.ofMillis(2 + random.nextInt(10)));
      return;
    }
    long deadline = begun + Duration.ofSeconds(TTL_SECONDS).toNanos();
    write(history, "enter " + given.group(1) + " " + FineClock.nanos() + " " + deadline + " "
        + answer.contains("\"stolen\":true"));
    // Some clients keep it beyond its expiry.
    scheduler.pause(Duration.ofMillis(random.nextInt(100) == 0 ? 3200 : random.nextInt(longestHoldMillis)));
    write(history, "exit " + given.group(1) + " " + FineClock.nanos() + " 0 false");
    try {
      String released = call("DELETE", "/locks/" + name + "?request_id=" + request, "", 200);
      if (released.isEmpty() && FineClock.nanos() < deadline) {
        write(history, "robbed " + given.group(1) + " 0 0 false");
      }
    } catch (IOException nobodyKnows) {
      write(history, "unknown 0 0 0 false");
    }
  }

  private void write(FileOutputStream history, String line) throws IOException {
    history.write((line + " " + id + "\n").getBytes(StandardCharsets.UTF_8));
  }

  /** The answer, or nothing if it has another status. */
  private String call(String method, String path, String body, int hoped) throws IOException, InterruptedException {
    HttpResponse<String> response = http.send(HttpRequest.newBuilder(URI.create(url.get() + path))
        .header("Authorization", "Bearer " + token).header("Content-Type", "application/json")
        .timeout(Duration.ofSeconds(8))
        .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body)).build(),
        BodyHandlers.ofString());
    if (response.statusCode() == 503) {
      throw new IOException(response.body());
    }
    return response.statusCode() == hoped ? response.body() : "";
  }
}
