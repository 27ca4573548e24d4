package fleet.tower.access;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.Access.RecognitionOutcome;
import fleet.tower.access.Caller.Credential;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.platform.time.Timestamps;

/**
 * Identifies the operator's token and those of others from their sources. Each digest is compared completely with all
 * known ones, so that timing reveals neither a length, nor a common prefix, nor a position.
 *
 * <p>An unknown token makes it check the sources again before it answers, so that a token is valid from the moment in
 * which it is printed.
 */
public final class StoredAccess implements Access {
  private static final Caller OPERATOR = Caller.of("operator", Role.OPERATOR, Scope.ALL);

  private final List<TokenSource> sources;
  private final LastUses uses;
  private final TimeSource time;
  private final TokenLifetime lifetime;

  /** @param lifetime how old the tokens of others than the operator may become */
  public StoredAccess(List<TokenSource> sources, LastUses uses, TimeSource time, TokenLifetime lifetime) {
    this.lifetime = lifetime;
    this.sources = List.copyOf(sources);
    this.uses = uses;
    this.time = time;
  }

  /** A stored token and its bearer. */
  private record Match(Caller caller, Generation token) {}

  /** A credential from the sources; {@code token} is the token that was presented. */
  private record StoredCredential(StoredAccess access, Role role, Generation token) implements Credential {

    /** A waiting call keeps only the digest, which is not secret, so timing does not matter here. */
    @Override
    public boolean isValid() {
      Instant now = access.time.now();
      for (Match known : access.all(TokenSource::known)) {
        if (known.token().sha256().equals(token.sha256()) && known.caller().role().covers(role)
            && !known.token().isExpiredAt(now)) {
          return true;
        }
      }
      return false;
    }

    @Override
    public @Nullable Instant expires() {
      return token.expires();
    }
  }

  @Override
  public RecognitionOutcome recognise(String token) {
    return recognise(token, TokenSource::renewed);
  }

  @Override
  public RecognitionOutcome recogniseHere(String token) {
    return recognise(token, TokenSource::renewedHere);
  }

  private RecognitionOutcome recognise(String token, Function<TokenSource, TokenSource.Known> renewal) {
    byte[] shown = bytes(Digests.of(token));
    Match found = match(shown, TokenSource::known);
    if (found == null) {
      found = match(shown, renewal);
    }
    return found == null ? RecognitionOutcome.unknown() : recognised(found);
  }

  private RecognitionOutcome recognised(Match found) {
    Generation token = found.token();
    Instant expires = token.expires();
    if (expires != null && token.isExpiredAt(time.now())) {
      String name = found.caller().name();
      return new RecognitionOutcome.Refused(RecognitionOutcome.Reason.EXPIRED_TOKEN, name,
          "the token '" + name + "' expired at " + Timestamps.format(expires));
    }
    uses.record(token.sha256());
    return new RecognitionOutcome.Known(
        found.caller().with(new StoredCredential(this, found.caller().role(), token)));
  }

  private @Nullable Match match(byte[] shown, Function<TokenSource, TokenSource.Known> tokens) {
    Match found = null;
    for (Match known : all(tokens)) {
      if (MessageDigest.isEqual(bytes(known.token().sha256()), shown)) {
        found = known;
      }
    }
    return found;
  }

  private static byte[] bytes(String sha256) {
    return sha256.getBytes(StandardCharsets.US_ASCII);
  }

  /**
   * All tokens, the operator's current one last: it is valid even if it is also among the previous ones. Without
   * streams, because this runs several times in every call.
   */
  private List<Match> all(Function<TokenSource, TokenSource.Known> tokens) {
    List<Match> all = new ArrayList<>();
    for (TokenSource source : sources) {
      TokenSource.Known known = tokens.apply(source);
      for (Grant stored : known.grants()) {
        Grant grant = lifetime.of(stored);
        Caller caller = grant.caller();
        all.add(new Match(caller, grant.current()));
        grant.previous().forEach(token -> all.add(new Match(caller, token)));
      }
      known.operator().forEach(token -> all.add(new Match(OPERATOR, token)));
    }
    return all;
  }

  /** Forgets the last uses of tokens that no longer exist. */
  public void forgetOthers() {
    Set<String> digests = all(TokenSource::known).stream().map(it -> it.token().sha256()).collect(Collectors.toSet());
    uses.keep(digests);
  }

  @Override
  public void refresh() {
    sources.forEach(TokenSource::refresh);
  }

  @Override
  public List<String> complaints() {
    return sources.stream().flatMap(source -> source.complaints().stream()).toList();
  }

  /** When each token was last used on this host; tokens are given by their digests. */
  public interface LastUses {

    /** Records that a token is used now. A failure is not reported, because a call must not fail for it. */
    void record(String sha256);

    /** When a token was last used, within a minute; empty for never. */
    Optional<Instant> last(String sha256);

    /** Forgets all tokens but these. */
    void keep(Set<String> digests);
  }
}
