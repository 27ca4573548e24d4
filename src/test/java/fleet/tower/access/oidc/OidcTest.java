package fleet.tower.access.oidc;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.util.List;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import fleet.tower.harness.Await;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.service.config.TestService;
import fleet.tower.service.config.TestService.Answer;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@DisplayName("Callers of another issuer")
class OidcTest {
  private static final String JWT = "--spring.security.oauth2.resourceserver.jwt.";
  private final Issuer issuer = new Issuer();
  private final TestService service;
  private int addresses;

  OidcTest(@TempDir Path home) throws Exception {
    service = new TestService(home, JWT + "issuer-uri=" + issuer.url(), JWT + "audiences=tower",
        "--tower.oidc.roles-claim=realm.roles");
    // A fetch of the keys has two seconds, which a busy machine may exceed; known keys are not fetched by a call.
    Await.until("the keys are known", () -> look(issuer.sign(claims("[\"tower-viewer\"]"))).status() == 200);
  }

  @AfterAll
  void stop() {
    service.close();
    issuer.close();
  }

  private String claims(String roles) {
    long now = SystemTime.source().now().getEpochSecond();
    return "{\"iss\":\"" + issuer.url() + "\",\"aud\":[\"tower\"],\"sub\":\"ann\",\"iat\":" + now + ",\"exp\":"
        + (now + 300) + ",\"realm\":{\"roles\":" + roles + "}}";
  }

  private Answer call(String token, String method, String path, String body) {
    return service.callAs(token, method, path, body);
  }

  /** Each from an address of its own, because bad tokens are counted. */
  private Answer look(String token) {
    return service.sendFrom("127.0.2." + ++addresses, service.request("/locks").header("Authorization", "Bearer "
        + token).build());
  }

  @ParameterizedTest
  @DisplayName("The highest named role counts; other applications' roles do not")
  @CsvSource(delimiter = '|', quoteCharacter = '`', value = {"[\"tower-viewer\"] | 200 403 403",
      "[\"tower-agent\",\"tower-viewer\",\"x\"] | 200 201 403", "[\"tower-operator\"] | 200 201 201",
      "\"openid tower-agent\" | 200 201 403", "[\"operator\"] | 403 403 403", "[] | 403 403 403", "7 | 403 403 403"})
  void roles(String roles, String expected) {
    String token = issuer.sign(claims(roles));

    String lock = "l" + Integer.toHexString(roles.hashCode());
    assertThat(
        call(token, "GET", "/locks", "").status() + " " + call(token, "POST", "/locks/" + lock, "{}").status() + " "
            + call(token, "PUT", "/freezes/" + lock, "{\"ttl_seconds\":1,\"reason\":\"r\"}").status())
        .isEqualTo(expected);
  }

  @Test
  @DisplayName("The actor is the principal, with a prefix that no token of the home can have")
  void actor() {
    Answer answer = call(issuer.sign(claims("[\"tower-agent\"]")), "POST", "/locks/mine", "{}");

    assertThat(answer.body()).contains("\"actor\":\"oidc:ann\"");
    assertThat(call(issuer.sign(claims("[\"x\"]")), "GET", "/locks", "").body()).contains("\"reason\":\"no_role\"",
        "'oidc:ann' has no role here; the claim 'realm.roles' must contain one of tower-viewer, tower-agent, tower-operator");
  }

  @Test
  @DisplayName("The principal is the issuer and the subject; only a caller with the role tower-approver may approve")
  void approver() {
    String claims = claims("[\"tower-viewer\",\"tower-approver\"]");
    String principal = "\"principal\":\"oidc:" + issuer.url() + "#ann\"";
    assertThat(me(claims)).contains(principal, "\"role\":\"viewer\"", "\"approve\":[\"*\"]");
    assertThat(me(claims("[\"tower-operator\",\"approver\"]"))).contains(principal, "\"approve\":[]");
    assertThat(me(claims.replace("\"sub\":\"ann\"", "\"sub\":\"" + "a".repeat(190) + "\"")))
        .contains("#" + "a".repeat(190) + "\"", "\"approve\":[\"*\"]");
    assertThat(me(claims("[\"tower-approver\"]"))).contains("\"reason\":\"no_role\"");
  }

  private String me(String claims) {
    return call(issuer.sign(claims), "GET", "/me", "").body();
  }

  private void assertRefused(String token, String detail) {
    Answer answer = look(token);
    assertThat(answer.status()).as(answer.body()).isEqualTo(401);
    assertThat(answer.body()).contains("\"detail\":\"" + detail + "\"");
  }

  @Test
  @DisplayName("A token with another key, issuer or audience, an expired or altered one, and one without a name are "
      + "not admitted")
  void refused() {
    String good = claims("[\"tower-operator\"]");
    String unsigned = "your token is not signed by the configured issuer";
    String invalid = "your token was not issued for this service, or is not currently valid";
    String header = "{\"alg\":\"RS256\",\"kid\":\"k1\"}";
    KeyPair other = Issuer.newKeys();
    assertThat(look(issuer.sign(good)).status()).isEqualTo(200);

    assertRefused(Issuer.sign(header, good, other), unsigned);
    assertRefused(Issuer.sign("{\"alg\":\"RS256\",\"kid\":\"k2\"}", good, other), unsigned);
    String[] parts = issuer.sign(claims("[\"tower-viewer\"]")).split("\\.", -1);
    assertRefused(parts[0] + "." + Issuer.base64(good.getBytes(StandardCharsets.UTF_8)) + "." + parts[2], unsigned);
    assertRefused(issuer.sign(good.replace(issuer.url(), "http://evil.example")), invalid);
    assertRefused(issuer.sign(good.replace("\"tower\"", "\"another\"")), invalid);
    assertRefused(issuer.sign(good.replace("\"aud\":[\"tower\"],", "")), invalid);
    assertRefused(issuer.sign(good.replaceAll("\"(iat|exp)\":\\d{4}", "\"$1\":1700")), "your token has expired");
    assertRefused(issuer.sign(good.replace("\"iat\"", "\"nbf\":4000000000,\"iat\"")), invalid);
    assertRefused(issuer.sign(good.replace("\"sub\":\"ann\",", "")),
        "the claim 'sub' of your token is not a valid name");
    assertRefused(issuer.sign("no claims"), unsigned);
    assertRefused(issuer.sign(good.replaceAll(",\"exp\":\\d+", "")),
        "your token has no claim 'exp' and would never expire");
  }

  @Test
  @DisplayName("A token without a signature, or with one made from the public key, is not admitted")
  void algorithms() throws Exception {
    String claims = Issuer.base64(claims("[\"tower-operator\"]").getBytes(StandardCharsets.UTF_8));
    for (String alg : List.of("none", "None", "NONE")) {
      String header = Issuer.base64(("{\"alg\":\"" + alg + "\"}").getBytes(StandardCharsets.UTF_8));
      assertThat(look(header + "." + claims + ".").status()).isEqualTo(401);
      assertThat(look(header + "." + claims + ".AAAA").status()).isEqualTo(401);
    }
    String header = Issuer.base64("{\"alg\":\"HS256\",\"kid\":\"k1\"}".getBytes(StandardCharsets.UTF_8));
    assertRefused(header + "." + claims + "." + hmac(header + "." + claims, issuer.keys().getPublic().getEncoded()),
        "your token is not signed by the configured issuer");
  }

  private static String hmac(String text, byte[] key) throws GeneralSecurityException {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(key, "HmacSHA256"));
    return Issuer.base64(mac.doFinal(text.getBytes(StandardCharsets.US_ASCII)));
  }

  @Test
  @DisplayName("While the issuer is unavailable its tokens get 503, and those of the home still work")
  void issuerIsDown(@TempDir Path home) throws Exception {
    String token;
    String url;
    try (Issuer gone = new Issuer()) {
      url = gone.url();
      token = gone.sign("{\"iss\":\"" + url + "\"}");
    }
    try (TestService alone = new TestService(home, JWT + "issuer-uri=" + url)) {
      Answer answer = alone.callAs(token, "GET", "/locks", "");
      assertThat(answer.status()).isEqualTo(503);
      assertThat(answer.body()).contains("\"error\":\"identity_unavailable\"").doesNotContain(url);
      assertThat(alone.get("/locks").status()).isEqualTo(200);
      assertThat(alone.printed()).anyMatch(line -> line.startsWith("tower: warning: "
          + "spring.security.oauth2.resourceserver.jwt.audiences is not set"));
    }
  }

  @Test
  @DisplayName("A key set without an issuer is enough; the issuer is then not compared")
  void keysAlone(@TempDir Path home) {
    try (TestService alone = new TestService(home, JWT + "jwk-set-uri=" + issuer.url() + "/jwks",
        JWT + "audiences=tower", "--tower.oidc.role-prefix=", "--tower.oidc.roles-claim=groups",
        JWT + "principal-claim-name=email")) {
      String claims = claims("[]").replace("\"sub\":\"ann\"", "\"email\":\"ann@example.org\",\"groups\":[\"agent\"]");
      assertThat(alone.callAs(issuer.sign(claims), "POST", "/locks/x", "{}").body())
          .contains("\"actor\":\"oidc:ann@example.org\"");
      assertThat(alone.callAs(issuer.sign(claims.replace("[\"agent\"]", "[\"agent\",\"approver\"]")), "GET", "/me", "")
          .body()).as("without a subject").contains("\"principal\":\"oidc:ann@example.org\"", "\"approve\":[]");
      assertThat(alone.callAs(Issuer.sign("{\"alg\":\"RS256\",\"kid\":\"k1\"}", claims, Issuer.newKeys()), "GET",
          "/locks", "").status()).isEqualTo(401);
    }
  }
}
