package fleet.tower.access.oidc;

import java.text.ParseException;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import org.springframework.security.oauth2.jwt.BadJwtException;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.JwtDecoderInitializationException;
import org.springframework.security.oauth2.jwt.JwtException;
import org.springframework.security.oauth2.jwt.JwtValidationException;

import com.nimbusds.jwt.JWTParser;

import fleet.tower.access.Access;
import fleet.tower.access.Access.RecognitionOutcome;
import fleet.tower.access.Access.RecognitionOutcome.Reason;
import fleet.tower.access.Caller;
import fleet.tower.access.Caller.Credential;
import fleet.tower.access.Role;
import fleet.tower.access.Scope;
import fleet.tower.platform.text.VisibleText;

/**
 * Identifies callers by tokens that an issuer signed. Their names begin with {@code oidc:}, which no token of a home
 * can have: otherwise the issuer could make a caller the owner of another's resources.
 */
final class JwtAccess implements Access {
  private static final System.Logger LOG = System.getLogger(JwtAccess.class.getName());
  private static final String PREFIX = "oidc:";
  private static final String APPROVER = "approver";
  private static final int MAX_NAME = 200;
  private static final int MAX_PRINCIPAL = 512;
  private static final Pattern FORM = Pattern.compile("[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]*");
  private static final String UNSIGNED = "your token is not signed by the configured issuer";
  private static final RecognitionOutcome EXPIRED = new RecognitionOutcome.Refused(Reason.EXPIRED_TOKEN, null,
      "your token has expired");

  private final Access home;
  private final OidcAccess settings;
  private final AtomicReference<@Nullable String> loggedProblem = new AtomicReference<>();

  JwtAccess(Access home, OidcAccess settings) {
    this.home = home;
    this.settings = settings;
  }

  @Override
  public List<String> complaints() {
    return home.complaints();
  }

  @Override
  public void refresh() {
    home.refresh();
  }

  @Override
  public RecognitionOutcome recognise(String token) {
    RecognitionOutcome here = home.recognise(token);
    boolean isUnknown = here instanceof RecognitionOutcome.Refused refused && refused.reason() == Reason.UNKNOWN_TOKEN;
    return isUnknown && FORM.matcher(token).matches() ? decoded(token) : here;
  }

  @Override
  public RecognitionOutcome recogniseHere(String token) {
    return IssuerPages.withoutFetching(() -> recognise(token));
  }

  private RecognitionOutcome decoded(String token) {
    try {
      Jwt jwt = settings.decoder().decode(token);
      loggedProblem.set(null);
      return of(jwt);
    } catch (JwtValidationException e) {
      return isExpired(token)
          ? EXPIRED
          : invalid("your token was not issued for this service, or is not currently valid");
    } catch (BadJwtException e) {
      return invalid(UNSIGNED);
    } catch (JwtException | JwtDecoderInitializationException e) {
      if (!IssuerPages.mayFetch()) {
        return invalid(UNSIGNED);
      }
      log(String.valueOf(e.getMessage()));
      return new RecognitionOutcome.Undecided("the issuer of your token is currently unavailable");
    }
  }

  private static RecognitionOutcome invalid(String detail) {
    return new RecognitionOutcome.Refused(Reason.INVALID_TOKEN, null, detail);
  }

  /** Whether a token with a valid signature but invalid claims has expired. */
  private boolean isExpired(String token) {
    try {
      Date expires = JWTParser.parse(token).getJWTClaimsSet().getExpirationTime();
      return expires != null && !isBefore(expires.toInstant());
    } catch (ParseException e) {
      throw new IllegalStateException("a decoded token cannot be parsed", e);
    }
  }

  /** A credential that ends with its token. */
  private final class Expiring implements Credential {
    private final Instant expires;
    private final List<String> audiences;

    Expiring(Instant expires, List<String> audiences) {
      this.expires = expires;
      this.audiences = audiences;
    }

    @Override
    public boolean isFor(String resource) {
      return audiences.contains(resource);
    }

    @Override
    public boolean isValid() {
      return isBefore(expires);
    }

    @Override
    public Instant expires() {
      return expires;
    }
  }

  private boolean isBefore(Instant expires) {
    return settings.time().now().isBefore(expires);
  }

  /**
   * Logs for operators, since callers need not know the issuer's addresses; once per cause, however many callers are
   * affected.
   */
  private void log(String why) {
    if (!why.equals(loggedProblem.getAndSet(why))) {
      LOG.log(System.Logger.Level.WARNING, "the token issuer is unavailable: {0}", why);
    }
  }

  /** The decoder tolerates clock differences; here a token expires exactly at its 'exp'. */
  private RecognitionOutcome of(Jwt jwt) {
    Instant expires = jwt.getExpiresAt();
    if (expires == null) {
      return invalid("your token has no claim 'exp' and would never expire");
    }
    if (!isBefore(expires)) {
      return EXPIRED;
    }
    String name = jwt.getClaims().get(settings.principalClaim()) instanceof String text ? text : "";
    if (name.isBlank() || name.length() > MAX_NAME || !VisibleText.isPlain(name)) {
      return new RecognitionOutcome.Refused(Reason.INVALID_TOKEN, null,
          "the claim '" + settings.principalClaim() + "' of your token is not a valid name");
    }
    List<String> roles = texts(claim(jwt.getClaims(), settings.rolesClaim()));
    return role(roles).<RecognitionOutcome>map(role -> new RecognitionOutcome.Known(
        caller(PREFIX + name, role, roles, jwt).with(new Expiring(expires, audiences(jwt)))))
        .orElseGet(() -> new RecognitionOutcome.Refused(Reason.NO_ROLE, PREFIX + name,
            "'" + PREFIX + name + "' has no role here; the claim '" + settings.rolesClaim() + "' must contain one of "
                + String.join(", ", Arrays.stream(Role.values()).map(role -> settings.rolePrefix() + role).toList())));
  }

  /** Without an issuer or a subject it is not certain who it is: then it may approve nothing. */
  private Caller caller(String name, Role role, List<String> roles, Jwt jwt) {
    String issuer = jwt.getClaimAsString("iss");
    String subject = jwt.getSubject();
    String principal = PREFIX + issuer + "#" + subject;
    if (issuer == null || subject == null || principal.length() > MAX_PRINCIPAL || !VisibleText.isPlain(principal)) {
      return Caller.of(name, role, Scope.ALL);
    }
    return Caller.of(name, principal, role,
        roles.contains(settings.rolePrefix() + APPROVER) ? Scope.APPROVER : Scope.ALL);
  }

  private static List<String> audiences(Jwt jwt) {
    List<String> audiences = jwt.getAudience();
    return audiences == null ? List.of() : audiences;
  }

  /** The highest of the named roles. */
  private Optional<Role> role(List<String> names) {
    return Arrays.stream(Role.values()).filter(role -> names.contains(settings.rolePrefix() + role))
        .max(Comparator.naturalOrder());
  }

  private static @Nullable Object claim(Map<String, Object> claims, String path) {
    if (claims.containsKey(path)) {
      return claims.get(path);
    }
    Object at = claims;
    for (String key : path.split("\\.", -1)) {
      at = at instanceof Map<?, ?> object ? object.get(key) : null;
    }
    return at;
  }

  private static List<String> texts(@Nullable Object claim) {
    return switch (claim) {
      case String text -> List.of(text.split(" ", -1));
      case Collection<?> many -> many.stream().map(String::valueOf).toList();
      case null, default -> List.of();
    };
  }
}
