package fleet.tower.access.oidc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.security.oauth2.jwt.BadJwtException;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.JwtException;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;

import fleet.tower.harness.Await;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.platform.time.ManualTime;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.service.config.TestService;
import fleet.tower.service.config.TestService.Answer;

@DisplayName("How often requests go to an issuer, and for which callers")
class IssuerLimitsTest {
  private static final String JWT = "--spring.security.oauth2.resourceserver.jwt.";
  private final ManualTime time = new ManualTime();
  @AutoClose
  private final Issuer issuer = new Issuer();
  private final Path home;

  IssuerLimitsTest(@TempDir Path home) throws Exception {
    this.home = home;
  }

  private TestService service() {
    return new TestService(home, JWT + "issuer-uri=" + issuer.url(), JWT + "audiences=tower");
  }

  private String claims(long seconds) {
    long now = SystemTime.source().now().getEpochSecond();
    return "{\"iss\":\"" + issuer.url() + "\",\"aud\":[\"tower\"],\"sub\":\"ann\",\"iat\":" + now + ",\"exp\":"
        + (now + seconds) + ",\"roles\":\"tower-viewer\"}";
  }

  private String strange(int number) {
    return Issuer.sign("{\"alg\":\"RS256\",\"kid\":\"strange-" + number + "\"}", claims(300), issuer.keys());
  }

  private static Answer look(TestService service, String from, String token) {
    return service.sendFrom(from, service.request("/locks").header("Authorization", "Bearer " + token).build());
  }

  /** Calls until the keys are known: a fetch of them has two seconds, which a busy machine may exceed. */
  private static void awaitKeys(TestService service, String from, String token) {
    Await.until("the keys are known", () -> look(service, from, token).status() == 200);
  }

  @Test
  @DisplayName("However many unknown key ids arrive, the keys are fetched only once more")
  void unknownKeys() {
    try (TestService service = service()) {
      long begun = SystemTime.source().nanos();
      for (int i = 1; i <= 40; i++) {
        assertThat(look(service, "127.0.7." + i, strange(i)).status()).isEqualTo(401);
      }
      // Once more for each half minute that a busy machine takes.
      long halfMinutes = Duration.ofNanos(SystemTime.source().nanos() - begun).dividedBy(IssuerPages.BETWEEN_FETCHES);
      assertThat((long) issuer.keyFetches()).isBetween(1L, 2 + halfMinutes);
      assertThat(look(service, "127.0.7.1", issuer.sign(claims(300))).status()).isEqualTo(200);
    }
  }

  @Test
  @DisplayName("The issuer is not queried for an address that sent too many invalid tokens")
  void afterTheLimit() {
    try (TestService service = service()) {
      for (int i = 0; i < 10; i++) {
        assertThat(look(service, "127.0.7.1", "bad").status()).isEqualTo(401);
      }
      assertThat(look(service, "127.0.7.1", strange(1)).status()).isEqualTo(429);
      assertThat(issuer.keyFetches()).isZero();

      String good = issuer.sign(claims(300));
      awaitKeys(service, "127.0.7.2", good);
      int fetches = issuer.keyFetches();
      assertThat(look(service, "127.0.7.1", good).status()).as("known keys also work from there").isEqualTo(200);
      assertThat(look(service, "127.0.7.1", strange(2)).status()).isEqualTo(429);
      assertThat(issuer.keyFetches()).isEqualTo(fetches);
    }
  }

  @Test
  @DisplayName("While the issuer withholds its keys, a caller with a known key is admitted, and an unknown one "
      + "finally gets 503")
  void slowKeys() {
    CountDownLatch answer = new CountDownLatch(1);
    try (TestService service = service()) {
      String good = issuer.sign(claims(300));
      awaitKeys(service, "127.0.7.1", good);
      int fetches = issuer.keyFetches();
      issuer.answerWhen(answer);
      CompletableFuture<HttpResponse<String>> stranger = service.client().sendAsync(
          service.request("/locks").header("Authorization", "Bearer " + strange(1)).build(), BodyHandlers.ofString());
      Await.until("its key is looked for", () -> issuer.keyFetches() > fetches);

      assertThat(service.callAs(good, "GET", "/locks", "").status()).isEqualTo(200);
      assertThat(stranger.join().statusCode()).isEqualTo(503);
    } finally {
      answer.countDown();
    }
  }

  private JwtDecoder decoder() {
    var builder = NimbusJwtDecoder.withJwkSetUri(issuer.url() + "/jwks");
    OidcAccess.bound(builder, time);
    return builder.build();
  }

  @Test
  @DisplayName("A new key is found at once; the next one half a minute later, and then at once again")
  void rotation() {
    JwtDecoder decoder = decoder();
    decoder.decode(issuer.sign(claims(300)));
    issuer.rotate("k2");
    decoder.decode(issuer.sign(claims(300)));
    assertThat(issuer.keyFetches()).isEqualTo(2);

    issuer.rotate("k3");
    String third = issuer.sign(claims(300));
    for (int i = 0; i < 10; i++) {
      assertThatThrownBy(() -> decoder.decode(third)).isInstanceOf(BadJwtException.class);
    }
    assertThat(issuer.keyFetches()).isEqualTo(2);
    time.advance(IssuerPages.BETWEEN_FETCHES);
    decoder.decode(third);
    assertThat(issuer.keyFetches()).isEqualTo(3);
  }

  @Test
  @DisplayName("A failed issuer is retried after five seconds, however many tokens arrive")
  void failures() {
    JwtDecoder decoder = decoder();
    String good = issuer.sign(claims(300));
    CountDownLatch answer = new CountDownLatch(1);
    issuer.answerWhen(answer);
    for (int i = 0; i < 5; i++) {
      assertThatThrownBy(() -> decoder.decode(good)).isInstanceOf(JwtException.class);
    }
    assertThat(issuer.keyFetches()).isEqualTo(1);
    answer.countDown();
    time.advance(IssuerPages.BETWEEN_FAILURES);
    decoder.decode(good);
    assertThat(issuer.keyFetches()).isEqualTo(2);
  }

  @Test
  @DisplayName("A stream ends in the second in which its caller's token expires, and the token is no longer valid")
  @ProofsProfile
  void expires() {
    try (TestService service = service()) {
      String brief = issuer.sign(claims(8));
      String stream = service.callAs(brief, "GET", "/audit/stream", "", "Accept", "text/event-stream").body();
      assertThat(stream).startsWith(": connected").endsWith(": the token was revoked or has expired\n\n");
      assertThat(service.callAs(brief, "GET", "/locks", "").body()).contains("your token has expired");
    }
  }
}
