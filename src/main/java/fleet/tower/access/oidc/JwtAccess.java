package fleet.tower.access.oidc;

import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
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
  public Recognition recognise(String token) {
    Recognition here = home.recognise(token);
    boolean isStrange = here instanceof Recognition.Refused refused && refused.reason() == Reason.UNKNOWN_TOKEN;
    return isStrange && FORM.matcher(token).matches() ? decoded(token) : here;
  }

  private Recognition decoded(String token) {
    try {
      Jwt jwt = settings.decoder().decode(token);
      told.set(null);
      return of(jwt);
    } catch (JwtValidationException e) {
      boolean isExpired = e.getErrors().stream()
          .anyMatch(it -> String.valueOf(it.getDescription()).contains("expired"));
      return new Recognition.Refused(isExpired ? Reason.EXPIRED_TOKEN : Reason.INVALID_TOKEN, null,
          isExpired ? "your token has expired" : "your token was not issued for this service, or is not valid now");
    } catch (BadJwtException e) {
      return new Recognition.Refused(Reason.INVALID_TOKEN, null,
          "your token is not signed by the issuer that is known here");
    } catch (JwtException | JwtDecoderInitializationException e) {
      tell(String.valueOf(e.getMessage()));
      return new Recognition.Undecided("the issuer of your token cannot be asked now");
    }
  }

  /** For those who run the service, since it names addresses that callers need not know; once, however many call. */
  private void tell(String why) {
    if (!why.equals(told.getAndSet(why))) {
      LOG.log(System.Logger.Level.WARNING, "the issuer of tokens cannot be asked: {0}", why);
    }
  }

  private Recognition of(Jwt jwt) {
    String name = jwt.getClaims().get(settings.principalClaim()) instanceof String text ? text : "";
    if (name.isBlank() || name.length() > MAX_NAME || !Caller.isPrintable(name)) {
      return new Recognition.Refused(Reason.INVALID_TOKEN, null,
          "the claim '" + settings.principalClaim() + "' of your token is no name");
    }
    return role(jwt).<Recognition>map(role -> new Recognition.Known(new Caller(PREFIX + name, role)))
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
