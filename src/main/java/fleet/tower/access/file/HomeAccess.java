package fleet.tower.access.file;

import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.Access;
import fleet.tower.access.Caller;
import fleet.tower.access.Grant;
import fleet.tower.access.Recognition;
import fleet.tower.access.Role;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.platform.time.Timestamps;
import fleet.tower.platform.yaml.Complaint;

/**
 * Knows the operator's token and those of {@code tokens.yaml}. Digests are compared, each with all of them to their ends, so that
 * neither a length nor a common beginning nor a place in the list can be measured.
 */
final class HomeAccess implements Access {
  private static final Caller OPERATOR = new Caller("operator", Role.OPERATOR);

  private final byte[] operator;
  private final TokensFile tokens;
  private final TimeSource time;

  HomeAccess(String operatorToken, TokensFile tokens, TimeSource time) {
    this.operator = Digests.sha256(operatorToken);
    this.tokens = tokens;
    this.time = time;
  }

  @Override
  public Recognition recognise(String token) {
    byte[] shown = Digests.sha256(token);
    Grant found = grantOf(shown);
    if (MessageDigest.isEqual(operator, shown)) {
      return new Recognition.Known(OPERATOR);
    }
    if (found == null) {
      return Recognition.unknown();
    }
    return found.expires() != null && found.isExpiredAt(time.now())
        ? new Recognition.Refused(Recognition.Reason.EXPIRED_TOKEN, found.name(),
            "the token '" + found.name() + "' has expired at " + Timestamps.format(found.expires()))
        : new Recognition.Known(found.caller().with(() -> isStillGood(found)));
  }

  /** The digest alone is kept with a call that lasts. It is no secret, so there is nothing to measure in comparing it. */
  private boolean isStillGood(Grant shown) {
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
