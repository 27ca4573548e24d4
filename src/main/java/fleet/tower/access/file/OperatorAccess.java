package fleet.tower.access.file;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Optional;

import fleet.tower.access.Access;
import fleet.tower.access.Caller;
import fleet.tower.access.Role;

/** Knows one token. Digests are compared, so that neither the length nor a common beginning can be measured. */
final class OperatorAccess implements Access {
  private static final Caller OPERATOR = new Caller("operator", Role.OPERATOR);
  private final byte[] digest;

  OperatorAccess(String token) {
    this.digest = digest(token);
  }

  @Override
  public Optional<Caller> callerWith(String token) {
    return MessageDigest.isEqual(digest, digest(token)) ? Optional.of(OPERATOR) : Optional.empty();
  }

  private static byte[] digest(String token) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
