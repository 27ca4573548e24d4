package fleet.tower.access.oidc;

import static java.util.Objects.requireNonNull;

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
 * Lets in whom an issuer vouches for, besides those who have a token of this home.
 *
 * @param principalClaim the claim that names the caller
 * @param rolesClaim the claim that has the caller's roles, a list or one text with blanks between; dots lead into objects
 * @param rolePrefix what stands in front of our names of roles there, so that no other application's role is meant
 * @param time tells when a token expires
 */
public record OidcAccess(JwtDecoder decoder, String principalClaim, String rolesClaim, String rolePrefix,
    TimeSource time) {
  public OidcAccess {
    requireNonNull(decoder);
    requireNonNull(principalClaim);
    requireNonNull(rolesClaim);
    requireNonNull(rolePrefix);
    requireNonNull(time);
  }

  /** Has a decoder fetch the pages of its issuer at a bounded rate, and never for a caller whose key it knows. */
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

  /** Asks the home first: its tokens are known even when the issuer is not to be reached. */
  public Access beside(Access home) {
    return new JwtAccess(home, this);
  }
}
