package fleet.tower.service.mcp.http;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import org.springframework.core.env.Environment;

import fleet.tower.access.Caller;
import fleet.tower.access.Role;
import fleet.tower.home.Settings;

/**
 * The issuer of tokens besides the home, as clients see it.
 *
 * @param urls the issuer; empty for none
 * @param scopes the scopes by which a client requests the roles; empty if the roles do not come from scopes
 * @param checksAudience whether every token of the issuer is checked for an audience of this service
 */
record Issuer(List<String> urls, List<String> scopes, boolean checksAudience) {
  private static final String JWT = "spring.security.oauth2.resourceserver.jwt.";
  private static final Set<String> SCOPE_CLAIMS = Set.of("scope", "scp");

  static Issuer of(Environment environment) {
    List<String> urls = Optional.ofNullable(environment.getProperty(JWT + "issuer-uri")).filter(it -> !it.isBlank())
        .stream().toList();
    boolean hasScopes = SCOPE_CLAIMS.contains(environment.getProperty(Settings.OIDC_ROLES_CLAIM.key(), ""));
    String prefix = environment.getProperty(Settings.OIDC_ROLE_PREFIX.key(), "");
    return new Issuer(urls,
        hasScopes && !urls.isEmpty() ? Arrays.stream(Role.values()).map(role -> prefix + role).toList() : List.of(),
        !environment.getProperty(JWT + "audiences", environment.getProperty(JWT + "audiences[0]", "")).isEmpty());
  }

  /** Whether a caller's token was issued for this service. */
  boolean isForUs(Caller caller, Addresses addresses) {
    return checksAudience || caller.credential().isFor(addresses.resource().orElse(""));
  }
}
