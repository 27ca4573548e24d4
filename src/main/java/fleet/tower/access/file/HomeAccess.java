package fleet.tower.access.file;

import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.Access;
import fleet.tower.access.Caller;
import fleet.tower.access.Grant;
import fleet.tower.access.RecognitionOutcome;
import fleet.tower.access.Role;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.platform.time.Timestamps;
import fleet.tower.platform.yaml.Complaint;

/**
 * Identifies the operator's token and those of {@code tokens.yaml}. Each digest is compared completely with all known
 * ones, so that timing reveals neither a length, nor a common prefix, nor a position.
 */
final class HomeAccess implements Access {
  private static final Caller OPERATOR = Caller.of("operator", Role.OPERATOR, List.of());

  private final byte[] operator;
  private final TokensFile tokens;
  private final TimeSource time;

  HomeAccess(String operatorToken, TokensFile tokens, TimeSource time) {
    this.operator = Digests.sha256(operatorToken);
    this.tokens = tokens;
    this.time = time;
  }

  @Override
  public RecognitionOutcome recognise(String token) {
    byte[] shown = Digests.sha256(token);
    Grant found = grantOf(shown);
    if (MessageDigest.isEqual(operator, shown)) {
      return new RecognitionOutcome.Known(OPERATOR);
    }
    if (found == null) {
      return RecognitionOutcome.unknown();
    }
    return found.expires() != null && found.isExpiredAt(time.now())
        ? new RecognitionOutcome.Refused(RecognitionOutcome.Reason.EXPIRED_TOKEN, found.name(),
            "the token '" + found.name() + "' expired at " + Timestamps.format(found.expires()))
        : new RecognitionOutcome.Known(found.caller().with(() -> isStillValid(found)));
  }

  /** A lasting call keeps the digest only. It is not secret, so timing does not matter here. */
  private boolean isStillValid(Grant shown) {
    return tokens.grants().stream().anyMatch(grant -> grant.sha256().equals(shown.sha256())
        && grant.role().covers(shown.role()) && !grant.isExpiredAt(time.now()));
  }

  private @Nullable Grant grantOf(byte[] shown) {
    Grant found = null;
    for (Grant grant : tokens.grants()) {
      if (MessageDigest.isEqual(HexFormat.of().parseHex(grant.sha256()), shown)) {
        found = grant;
      }
    }
    return found;
  }

  @Override
  public void refresh() {
    tokens.grants();
  }

  @Override
  public List<String> complaints() {
    return tokens.complaints().stream().map(Complaint::toString).toList();
  }
}
