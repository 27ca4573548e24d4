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
import fleet.tower.access.Caller;
import fleet.tower.access.Recognition;
import fleet.tower.access.Recognition.Reason;
import fleet.tower.access.Role;

/**
 * Knows callers by what an issuer has signed. Their names begin with {@code oidc:}, which no token of a home can have: otherwise
 * the issuer could make somebody the owner of what another caller holds.
 */
final class JwtAccess implements Access {
  private static final System.Logger LOG = System.getLogger(JwtAccess.class.getName());
  private static final String PREFIX = "oidc:";
  private static final int MAX_NAME = 200;
  private static final Pattern FORM = Pattern.compile("[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]*");
  private static final String UNSIGNED = "your token is not signed by the issuer that is known here";
  private static final Recognition EXPIRED = new Recognition.Refused(Reason.EXPIRED_TOKEN, null,
      "your token has expired");

  private final Access home;
  private final OidcAccess settings;
  private final AtomicReference<@Nullable String> told = new AtomicReference<>();

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
  public Recognition recognise(String token) {
    Recognition here = home.recognise(token);
    boolean isStrange = here instanceof Recognition.Refused refused && refused.reason() == Reason.UNKNOWN_TOKEN;
    return isStrange && FORM.matcher(token).matches() ? decoded(token) : here;
  }

  @Override
  public Recognition recogniseHere(String token) {
    return IssuerPages.withoutFetching(() -> recognise(token));
  }

  private Recognition decoded(String token) {
    try {
      Jwt jwt = settings.decoder().decode(token);
      told.set(null);
      return of(jwt);
    } catch (JwtValidationException e) {
      return isExpired(token)
          ? EXPIRED
          : invalid("your token was not issued for this service, or is not valid now");
    } catch (BadJwtException e) {
      return invalid(UNSIGNED);
    } catch (JwtException | JwtDecoderInitializationException e) {
      if (!IssuerPages.mayFetch()) {
        return invalid(UNSIGNED);
      }
      tell(String.valueOf(e.getMessage()));
      return new Recognition.Undecided("the issuer of your token cannot be asked now");
    }
  }

  private static Recognition invalid(String detail) {
    return new Recognition.Refused(Reason.INVALID_TOKEN, null, detail);
  }

  /** Of a token whose signature was found good, and whose claims were not. */
  private boolean isExpired(String token) {
    try {
      Date expires = JWTParser.parse(token).getJWTClaimsSet().getExpirationTime();
      return expires != null && !isBefore(expires.toInstant());
    } catch (ParseException e) {
      throw new IllegalStateException("a token that was decoded cannot be parsed", e);
    }
  }

  private boolean isBefore(Instant expires) {
    return settings.time().now().isBefore(expires);
  }

  /** For those who run the service, since it names addresses that callers need not know; once, however many call. */
  private void tell(String why) {
    if (!why.equals(told.getAndSet(why))) {
      LOG.log(System.Logger.Level.WARNING, "the issuer of tokens cannot be asked: {0}", why);
    }
  }

  /** The decoder's own look at the times allows for clocks that differ; the end of a token is its very second here. */
  private Recognition of(Jwt jwt) {
    Instant expires = jwt.getExpiresAt();
    if (expires == null) {
      return invalid("your token has no claim 'exp', so it would never expire");
    }
    if (!isBefore(expires)) {
      return EXPIRED;
    }
    String name = jwt.getClaims().get(settings.principalClaim()) instanceof String text ? text : "";
    if (name.isBlank() || name.length() > MAX_NAME || !Caller.isPrintable(name)) {
      return new Recognition.Refused(Reason.INVALID_TOKEN, null,
          "the claim '" + settings.principalClaim() + "' of your token is no name");
    }
    return role(jwt).<Recognition>map(role -> new Recognition.Known(
        new Caller(PREFIX + name, role).with(() -> isBefore(expires))))
        .orElseGet(() -> new Recognition.Refused(Reason.NO_ROLE, PREFIX + name,
            "'" + PREFIX + name + "' has no role here; the claim '" + settings.rolesClaim() + "' needs one of "
                + String.join(", ", Arrays.stream(Role.values()).map(role -> settings.rolePrefix() + role).toList())));
  }

  /** The highest of the roles that are named. */
  private Optional<Role> role(Jwt jwt) {
    List<String> names = texts(claim(jwt.getClaims(), settings.rolesClaim()));
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
