package fleet.tower.access.oidc;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpRequest;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.client.ClientHttpRequestExecution;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.http.client.SimpleClientHttpRequestFactory;
import org.springframework.web.client.RestOperations;
import org.springframework.web.client.RestTemplate;

import fleet.tower.platform.time.TimeSource;

/**
 * The pages of an issuer, fetched at a limited rate, because anyone can cause a fetch by an unknown key id in a token.
 * A page that is requested again too soon gets the previous response or failure.
 */
final class IssuerPages implements ClientHttpRequestInterceptor {
  static final Duration BETWEEN_FETCHES = Duration.ofSeconds(30);
  static final Duration BETWEEN_FAILURES = Duration.ofSeconds(5);
  private static final Duration TIMEOUT = Duration.ofSeconds(2);
  private static final int MAX_BYTES = 1024 * 1024;
  private static final ScopedValue<Boolean> KEPT_IN = ScopedValue.newInstance();

  private final Map<URI, Page> pages = new ConcurrentHashMap<>();
  private final TimeSource time;

  private IssuerPages(TimeSource time) {
    this.time = time;
  }

  /** An HTTP client with this limit, and a timeout of two seconds for connecting and for reading. */
  static RestOperations client(TimeSource time) {
    SimpleClientHttpRequestFactory requests = new SimpleClientHttpRequestFactory();
    requests.setConnectTimeout(TIMEOUT);
    requests.setReadTimeout(TIMEOUT);
    RestTemplate client = new RestTemplate(requests);
    client.getInterceptors().add(new IssuerPages(time));
    return client;
  }

  /** Runs work that must not fetch a page. */
  static <T> T withoutFetching(Supplier<T> work) {
    return ScopedValue.where(KEPT_IN, true).call(work::get);
  }

  /** Whether the current thread may fetch a page. */
  static boolean mayFetch() {
    return !KEPT_IN.isBound();
  }

  @Override
  public ClientHttpResponse intercept(HttpRequest request, byte[] body, ClientHttpRequestExecution execution)
      throws IOException {
    return pages.computeIfAbsent(request.getURI(), _ -> new Page())
        .get(() -> Answer.of(execution.execute(request, body)));
  }

  private interface Fetch {
    Answer fetch() throws IOException;
  }

  /** A page and the outcome of its last fetch. One thread fetches it at a time. */
  private final class Page {
    private @Nullable Answer answer;
    private @Nullable IOException failure;
    private Duration kept = Duration.ZERO;
    private long sinceNanos;
    private boolean known;

    synchronized ClientHttpResponse get(Fetch fetch) throws IOException {
      if (!mayFetch()) {
        throw new IOException("no request to the issuer for this address, which sent too many invalid tokens");
      }
      if (time.nanos() - sinceNanos >= kept.toNanos()) {
        update(fetch);
      }
      if (answer == null) {
        throw new IOException(failure == null ? "not fetched" : String.valueOf(failure.getMessage()), failure);
      }
      return answer.replay();
    }

    /** Fetches the page. The first response is not rate-limited: a key that it lacks may be fetched at once. */
    private void update(Fetch fetch) {
      try {
        answer = fetch.fetch();
        failure = null;
      } catch (IOException e) {
        answer = null;
        failure = e;
      }
      boolean isGood = answer != null && answer.status().is2xxSuccessful();
      kept = isGood ? known ? BETWEEN_FETCHES : Duration.ZERO : BETWEEN_FAILURES;
      known |= isGood;
      sinceNanos = time.nanos();
    }
  }

  /** A response that can be replayed. */
  private record Answer(HttpStatusCode status, String reason, HttpHeaders headers, byte[] body) {

    static Answer of(ClientHttpResponse response) throws IOException {
      try (response) {
        byte[] body = response.getBody().readNBytes(MAX_BYTES + 1);
        if (body.length > MAX_BYTES) {
          throw new IOException("the issuer's page has more than " + MAX_BYTES + " bytes");
        }
        return new Answer(response.getStatusCode(), response.getStatusText(), response.getHeaders(), body);
      }
    }

    ClientHttpResponse replay() {
      return new ClientHttpResponse() {
        @Override
        public HttpStatusCode getStatusCode() {
          return status;
        }

        @Override
        public String getStatusText() {
          return reason;
        }

        @Override
        public HttpHeaders getHeaders() {
          return headers;
        }

        @Override
        public InputStream getBody() {
          return new ByteArrayInputStream(body);
        }

        @Override
        public void close() {
          // There is nothing to close.
        }
      };
    }
  }
}
