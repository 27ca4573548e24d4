package fleet.tower.access.oidc;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;

import com.nimbusds.jose.KeySourceException;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKMatcher;
import com.nimbusds.jose.jwk.JWKSelector;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.proc.SecurityContext;

import fleet.tower.platform.time.TimeSource;

/**
 * The cached keys of an issuer. A caller whose key is cached never waits for the issuer, because keys are refreshed in
 * the background. Only an unknown key is fetched while its caller waits.
 */
final class IssuerKeys implements JWKSource<SecurityContext> {
  private static final Duration FRESH = Duration.ofMinutes(1);
  /** How long keys stay valid while the issuer is unavailable. */
  private static final Duration LONGEST = Duration.ofHours(1);
  private static final JWKSelector ALL = new JWKSelector(new JWKMatcher.Builder().build());

  private final JWKSource<SecurityContext> issuer;
  private final TimeSource time;
  private final AtomicBoolean renewing = new AtomicBoolean();
  private volatile @Nullable Known known;

  /** @param issuer fetches keys from the issuer, and caches them for minutes */
  IssuerKeys(JWKSource<SecurityContext> issuer, TimeSource time) {
    this.issuer = issuer;
    this.time = time;
  }

  /** All keys at one moment. */
  private record Known(JWKSet keys, long sinceNanos) {}

  @Override
  public List<JWK> get(JWKSelector selector, @Nullable SecurityContext context) throws KeySourceException {
    List<JWK> found = found(selector, context);
    if (!found.isEmpty() || !IssuerPages.mayFetch()) {
      return found;
    }
    List<JWK> fetched = issuer.get(selector, context);
    learn(context);
    return fetched;
  }

  private List<JWK> found(JWKSelector selector, @Nullable SecurityContext context) {
    Known now = known;
    if (now == null) {
      return List.of();
    }
    Duration age = Duration.ofNanos(time.nanos() - now.sinceNanos());
    if (age.compareTo(FRESH) > 0 && IssuerPages.mayFetch() && renewing.compareAndSet(false, true)) {
      Thread.ofVirtual().name("tower-issuer-keys").start(() -> renew(context));
    }
    return age.compareTo(LONGEST) > 0 ? List.of() : selector.select(now.keys());
  }

  private void renew(@Nullable SecurityContext context) {
    try {
      learn(context);
    } catch (KeySourceException unreachable) {
      // The cached keys stay valid for a while, and the next caller tries again.
    } finally {
      renewing.set(false);
    }
  }

  private void learn(@Nullable SecurityContext context) throws KeySourceException {
    known = new Known(new JWKSet(issuer.get(ALL, context)), time.nanos());
  }
}
