package fleet.tower.hammer;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.function.Supplier;

import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;

/** The calls of one client to a service, which has another address after it was killed. */
final class HammerCalls {
  private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final Supplier<String> url;
  private final String token;

  HammerCalls(Supplier<String> url, String token) {
    this.url = url;
    this.token = token;
  }

  /** The object that a text is. */
  static JsonObject json(String text) {
    try {
      return JsonReader.readObject(text);
    } catch (JsonException e) {
      throw new AssertionError(text, e);
    }
  }

  /** Makes a call; throws if the service does not answer, or without its storage. */
  HttpResponse<String> call(String method, String path, String body, String... headers)
      throws IOException, InterruptedException {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url.get() + path));
    HttpResponse<String> response = http.send((headers.length == 0 ? request : request.headers(headers))
        .header("Authorization", "Bearer " + token).header("Content-Type", "application/json")
        .timeout(Duration.ofMinutes(2))
        .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body)).build(),
        BodyHandlers.ofString());
    if (response.statusCode() == 503) {
      throw new IOException(response.body());
    }
    return response;
  }
}
