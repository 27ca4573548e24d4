package fleet.tower.service.call.overview;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import fleet.tower.harness.Await;
import fleet.tower.service.config.TestService;

/** A client that follows the overview of a service and applies its events. */
public final class OverviewFollower implements AutoCloseable {
  private final OverviewReducer reducer = new OverviewReducer();
  private final List<String> events = new ArrayList<>();
  private final TestService service;
  private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final InputStream body;
  private final Thread thread;
  private volatile boolean isEnded;
  private volatile String comment = "";
  private volatile @Nullable Throwable failure;

  /** Follows a service with the operator's token, and returns when it has the overview. */
  public OverviewFollower(TestService service) {
    this(service, service.token());
  }

  public OverviewFollower(TestService service, String token) {
    this.service = service;
    try {
      URI stream = URI.create(service.url() + "/overview/stream");
      HttpResponse<InputStream> response = client.send(
          HttpRequest.newBuilder(stream).header("Authorization", "Bearer " + token).build(),
          BodyHandlers.ofInputStream());
      if (response.statusCode() != 200) {
        throw new AssertionError("status " + response.statusCode());
      }
      body = response.body();
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
    thread = Thread.ofVirtual().start(this::read);
    Await.until("the overview", () -> !reducer().asOf().isEmpty() || isEnded);
  }

  private void read() {
    try (BufferedReader lines = new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8))) {
      String event = "";
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith("event: ")) {
          event = line.substring("event: ".length());
        } else if (line.startsWith("data: ")) {
          apply(event, line.substring("data: ".length()));
        } else if (line.startsWith(": ")) {
          comment = line;
        }
      }
    } catch (IOException cut) {
      // The end of the connection.
    } catch (RuntimeException | Error e) {
      failure = e;
    } finally {
      isEnded = true;
    }
  }

  private void apply(String event, String received) {
    String data = service.asOneHost(received);
    reducer.apply(event, data);
    synchronized (events) {
      events.add(event + " " + data);
    }
  }

  /** Its state; fails if an event could not be applied. */
  public OverviewReducer reducer() {
    if (failure != null) {
      throw new AssertionError(failure);
    }
    return reducer;
  }

  /** All events so far, each with its name first. */
  public List<String> events() {
    synchronized (events) {
      return List.copyOf(events);
    }
  }

  /** Waits until a row contains a text. */
  public void awaitRow(String section, String key, String part) {
    Await.until(section + " " + key + " has " + part, () -> row(section, key).contains(part));
  }

  /** Waits until a row is absent. */
  public void awaitNone(String section, String key) {
    Await.until(section + " has no " + key, () -> row(section, key).isEmpty());
  }

  public String row(String section, String key) {
    return reducer().row(section, key);
  }

  public boolean isEnded() {
    return isEnded;
  }

  /** The last comment of the stream. */
  public String comment() {
    return comment;
  }

  @Override
  public void close() {
    client.shutdownNow();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
