package fleet.tower.service.mcp.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Arrays;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.access.oidc.Issuer;
import fleet.tower.service.config.TestService;
import fleet.tower.service.config.TestService.Answer;

@DisplayName("Tokens of an issuer at the endpoint")
class AudienceTest {
  private static final String JWT = "--spring.security.oauth2.resourceserver.jwt.";
  private static final String PING = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}";
  private static final String RESOURCE = "https://tower.example.com/mcp";

  private final Path home;
  @AutoClose
  private final Issuer issuer;

  AudienceTest(@TempDir Path home) throws Exception {
    this.issuer = new Issuer();
    this.home = home;
  }

  private String token(String audience) {
    return issuer.sign("{\"iss\":\"" + issuer.url() + "\",\"aud\":[" + audience
        + "],\"sub\":\"ann\",\"exp\":4000000000,\"roles\":\"tower-agent\",\"scope\":\"tower-agent\"}");
  }

  private TestService service(String... settings) {
    String[] all = Arrays.copyOf(settings, settings.length + 1);
    all[settings.length] = JWT + "issuer-uri=" + issuer.url();
    return new TestService(home, all);
  }

  private static int status(TestService service, String token) {
    return service.callAs(token, "POST", "/mcp", PING).status();
  }

  @Test
  @DisplayName("Without configured audiences, a token must be issued for the configured resource, but only at this "
      + "endpoint")
  void resource() {
    try (TestService service = service("--tower.mcp.resource=" + RESOURCE)) {
      assertThat(status(service, token("\"other\",\"" + RESOURCE + "\""))).isEqualTo(200);
      Answer refused = service.callAs(token("\"other\""), "POST", "/mcp", PING);
      assertThat(refused.status()).isEqualTo(401);
      assertThat(refused.body()).contains("your token was not issued for this service",
          "request a token for " + RESOURCE);
      assertThat(refused.header("WWW-Authenticate")).isEqualTo("Bearer resource_metadata=\"https://tower.example.com"
          + "/.well-known/oauth-protected-resource/mcp\", error=\"invalid_token\"");
      assertThat(service.callAs(token("\"other\""), "GET", "/locks", "").status()).isEqualTo(200);
      assertThat(status(service, service.token())).as("a token of the home").isEqualTo(200);
      assertThat(service.get("/audit?event=access_denied").body())
          .contains("\"path\":\"/mcp\",\"reason\":\"invalid_token\",\"actor\":\"oidc:ann\",\"door\":\"mcp\"");
    }
  }

  @Test
  @DisplayName("Without audiences and resource, no token of the issuer is accepted here")
  void unbound() {
    try (TestService service = service()) {
      assertThat(status(service, token(""))).isEqualTo(401);
      assertThat(status(service, token("\"" + service.url() + "/mcp\""))).isEqualTo(401);
      assertThat(service.callAs(token(""), "GET", "/locks", "").status()).isEqualTo(200);
    }
  }

  @Test
  @DisplayName("Configured audiences suffice; a caller without a role gets 403 insufficient_scope")
  void audiences() {
    try (TestService service = service(JWT + "audiences=tower", "--tower.oidc.roles-claim=scope")) {
      assertThat(status(service, token("\"tower\""))).isEqualTo(200);
      assertThat(status(service, token("\"other\""))).isEqualTo(401);
      Answer noRole = service.callAs(issuer.sign("{\"iss\":\"" + issuer.url()
          + "\",\"aud\":[\"tower\"],\"sub\":\"ann\",\"exp\":4000000000}"), "POST", "/mcp", PING);
      assertThat(noRole.status()).isEqualTo(403);
      assertThat(noRole.header("WWW-Authenticate")).startsWith("Bearer resource_metadata=\"" + service.url())
          .endsWith(", error=\"insufficient_scope\"");
      assertThat(service.send(service.request("/.well-known/oauth-protected-resource/mcp").build()).body())
          .isEqualTo("{\"resource\":\"" + service.url() + "/mcp\",\"authorization_servers\":[\"" + issuer.url()
              + "\"],\"bearer_methods_supported\":[\"header\"],"
              + "\"scopes_supported\":[\"tower-viewer\",\"tower-agent\",\"tower-operator\"],"
              + "\"resource_name\":\"Tower Executor\"}");
    }
  }
}
