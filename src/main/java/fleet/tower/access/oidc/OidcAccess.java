package fleet.tower.access.oidc;

import java.util.Set;
import java.util.stream.Collectors;

import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.proc.JWSVerificationKeySelector;
import com.nimbusds.jose.proc.SecurityContext;

import fleet.tower.access.Access;
import fleet.tower.platform.time.TimeSource;

/**
 * Access for callers of an OpenID Connect issuer, in addition to the tokens of the home.
 *
 * @param principalClaim the claim with the caller's name
 *
 * @param rolesClaim the claim with the caller's roles, a list or a string separated by spaces; dots select nested members
 *
 * @param rolePrefix the prefix of this application's role names, which distinguishes them from other applications'
 * roles
 *
 * @param time decides when a token has expired
 */
public record OidcAccess(JwtDecoder decoder, String principalClaim, String rolesClaim, String rolePrefix,
    TimeSource time) {
  /** Limits the rate at which a decoder fetches its issuer's pages; never fetches for a caller whose key is cached. */
  public static void bound(NimbusJwtDecoder.JwkSetUriJwtDecoderBuilder builder, TimeSource time) {
    builder.restOperations(IssuerPages.client(time)).jwtProcessorCustomizer(processor -> {
      if (processor.getJWSKeySelector() instanceof JWSVerificationKeySelector<SecurityContext> keys) {
        Set<JWSAlgorithm> algorithms = JWSAlgorithm.Family.SIGNATURE.stream().filter(keys::isAllowed)
            .collect(Collectors.toSet());
        processor.setJWSKeySelector(
            new JWSVerificationKeySelector<>(algorithms, new IssuerKeys(keys.getJWKSource(), time)));
      }
    });
  }

  /**
   * Adds the issuer to the home's access. The home is checked first: its tokens work even if the issuer is unavailable.
   */
  public Access beside(Access home) {
    return new JwtAccess(home, this);
  }
}
