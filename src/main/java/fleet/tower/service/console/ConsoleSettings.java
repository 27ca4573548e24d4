package fleet.tower.service.console;

import java.net.URI;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.springframework.core.env.Environment;

import fleet.tower.home.Settings;
import fleet.tower.platform.json.JsonWriter;

/**
 * The settings of the console.
 *
 * @param issuer the issuer of tokens; null for none, then a token is pasted
 * @param clientId the console's name at the issuer; null if it is not registered there
 */
record ConsoleSettings(@Nullable String issuer, @Nullable String clientId, String scope, String version) {
  private static final String ISSUER = "spring.security.oauth2.resourceserver.jwt.issuer-uri";

  static ConsoleSettings of(Environment environment, String version) {
    return new ConsoleSettings(text(environment, ISSUER), text(environment, Settings.CONSOLE_CLIENT_ID.key()),
        Optional.ofNullable(text(environment, Settings.CONSOLE_SCOPE.key())).orElse("openid"), version);
  }

  private static @Nullable String text(Environment environment, String key) {
    return Optional.ofNullable(environment.getProperty(key)).filter(it -> !it.isBlank()).orElse(null);
  }

  /** What a page needs before it has a token. */
  JsonWriter json() {
    return JsonWriter.line().put("issuer", clientId == null ? null : issuer).put("client_id", clientId)
        .put("scope", scope).put("version", version);
  }

  /** Only the service's own files and calls, and the issuer for a token. */
  String policy() {
    String others = issuer == null || clientId == null ? "" : " " + origin(issuer);
    return "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'" + others
        + "; require-trusted-types-for 'script'; trusted-types lit-html; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";
  }

  private static String origin(String url) {
    URI uri = URI.create(url);
    return uri.getScheme() + "://" + uri.getRawAuthority();
  }
}
