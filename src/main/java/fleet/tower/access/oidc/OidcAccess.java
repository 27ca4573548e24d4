package fleet.tower.access.oidc;

import static java.util.Objects.requireNonNull;

import org.springframework.security.oauth2.jwt.JwtDecoder;

import fleet.tower.access.Access;

/**
 * Lets in whom an issuer vouches for, besides those who have a token of this home.
 *
 * @param principalClaim the claim that names the caller
 * @param rolesClaim the claim that has the caller's roles, a list or one text with blanks between; dots lead into objects
 * @param rolePrefix what stands in front of our names of roles there, so that no other application's role is meant
 */
public record OidcAccess(JwtDecoder decoder, String principalClaim, String rolesClaim, String rolePrefix) {
  public OidcAccess {
    requireNonNull(decoder);
    requireNonNull(principalClaim);
    requireNonNull(rolesClaim);
    requireNonNull(rolePrefix);
  }

  /** Asks the home first: its tokens are known even when the issuer is not to be reached. */
  public Access beside(Access home) {
    return new JwtAccess(home, this);
  }
}
