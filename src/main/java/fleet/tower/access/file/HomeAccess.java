package fleet.tower.access.file;

import java.security.MessageDigest;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.Access;
import fleet.tower.access.Caller;
import fleet.tower.access.Credential;
import fleet.tower.access.Generation;
import fleet.tower.access.Grant;
import fleet.tower.access.RecognitionOutcome;
import fleet.tower.access.Role;
import fleet.tower.access.Scope;
import fleet.tower.access.Tokens.OperatorToken;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.platform.time.Timestamps;
import fleet.tower.platform.yaml.Complaint;

/**
 * Identifies the operator's token and those of {@code tokens.yaml}. Each digest is compared completely with all known
 * ones, so that timing reveals neither a length, nor a common prefix, nor a position.
 *
 * <p>An unknown token makes it check the files again before it answers, so that a token is valid from the moment in
 * which it is printed.
 */
final class HomeAccess implements Access {
  private static final Caller OPERATOR = Caller.of("operator", Role.OPERATOR, Scope.ALL);

  private final CurrentOperator operator;
  private final TokensFile tokens;
  private final TokenUses uses;
  private final TimeSource time;

  HomeAccess(CurrentOperator operator, TokensFile tokens, TokenUses uses, TimeSource time) {
    this.operator = operator;
    this.tokens = tokens;
    this.uses = uses;
    this.time = time;
  }

  /** A token of the files and its bearer. */
  private record Match(Caller caller, Generation token) {}

  /** A credential of the files; {@code token} is what was shown. */
  private record FileCredential(HomeAccess access, Role role, Generation token) implements Credential {

    /** A lasting call keeps the digest only. It is not secret, so timing does not matter here. */
    @Override
    public boolean isValid() {
      Instant now = access.time.now();
      return access.known(access.operator.get(), access.tokens.grants())
          .anyMatch(it -> it.token().sha256().equals(token.sha256()) && it.caller().role().covers(role)
              && !it.token().isExpiredAt(now));
    }

    @Override
    public @Nullable Instant expires() {
      return token.expires();
    }
  }

  @Override
  public RecognitionOutcome recognise(String token) {
    byte[] shown = Digests.sha256(token);
    Match found = match(shown, operator.get(), tokens.grants());
    if (found == null) {
      found = match(shown, operator.renewed(), tokens.renewed());
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
        found.caller().with(new FileCredential(this, found.caller().role(), token)));
  }

  private @Nullable Match match(byte[] shown, OperatorToken own, List<Grant> grants) {
    Match found = null;
    for (Match known : known(own, grants).toList()) {
      if (MessageDigest.isEqual(HexFormat.of().parseHex(known.token().sha256()), shown)) {
        found = known;
      }
    }
    return found;
  }

  /** All tokens, the operator's current one last: it is valid even if it is also among the previous ones. */
  private Stream<Match> known(OperatorToken own, List<Grant> grants) {
    return Stream.of(
        grants.stream().flatMap(grant -> grant.generations().map(token -> new Match(grant.caller(), token))),
        own.previous().stream().map(token -> new Match(OPERATOR, token)),
        Stream.of(new Match(OPERATOR, own.current()))).flatMap(it -> it);
  }

  /** The digests of all tokens, expired ones included. */
  Set<String> digests() {
    return known(operator.get(), tokens.grants()).map(it -> it.token().sha256()).collect(Collectors.toSet());
  }

  @Override
  public void refresh() {
    operator.get();
    tokens.grants();
  }

  @Override
  public List<String> complaints() {
    return Stream.concat(operator.complaints().stream(), tokens.complaints().stream().map(Complaint::toString))
        .toList();
  }
}
